"""`make demo`: a row a program with verdict and speed, and how the speed was obtained."""

import runpy
from pathlib import Path

import pytest

DEMO = Path(__file__).parents[2] / "examples/demo"


@pytest.mark.slow
def test_demo_says_what_is_faster_and_how_it_knows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    main = runpy.run_path(str(DEMO / "demo.py"))["main"]
    assert main((DEMO / "wide_softmax.py", DEMO / "diagonal_product.py")) == 0
    shown = capsys.readouterr().out
    assert "estimated for h100: no GPU here" in shown
    assert "2 of 2 programs end with verified kernels" in shown
    rows = {line.split()[0]: line.split() for line in shown.splitlines() if "ok@interpret" in line and "x" in line}
    for name in ("wide_softmax", "diagonal_product"):
        _, verdict, eager, inductor, ours, over_eager, over_inductor = rows[name]
        assert verdict == "ok@interpret"
        assert float(over_inductor[:-1]) == pytest.approx(float(inductor) / float(ours), rel=0.02)
        assert float(over_eager[:-1]) == pytest.approx(float(eager) / float(ours), rel=0.02)
        assert float(over_inductor[:-1]) > 1.0
