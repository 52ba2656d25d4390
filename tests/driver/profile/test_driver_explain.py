"""`explain`: text, page and JSON of a profile; the reasons of `optimize`; and a list of kernels without a GPU."""

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest
import torch
from torch import nn

import kernelwright
from kernelwright.backend.store.entry import Versions
from kernelwright.driver.cli import main
from kernelwright.driver.explaining.explain import write
from kernelwright.driver.explaining.explanation import Explanation
from kernelwright.driver.explaining.outcomes import outcomes
from kernelwright.driver.profile.rows import Kind, Profile, Row, Times
from kernelwright.ir.errors import UserError

ROOT = Path(__file__).parents[3]


def row(kind: Kind, name: str, us: float, **more: object) -> Row:
    told = {"key": "", "runs": str(kind), "why": "", "pick": "", "calls": 2} | more
    return Row(kind, name, 0, False, times=Times(us, us, us), share=us / 1000, **told)  # type: ignore[arg-type]


@pytest.fixture
def explanation() -> Explanation:
    """A kernel of ours, one of Inductor's behind a product, the product, and work that nobody claims."""
    inductors = {"key": "k2", "runs": "inductor", "why": "the store has nothing for it", "form": "pointwise"}
    ours = {"key": "k1", "runs": "kernelwright", "why": "verified; 1.2x in the model", "pick": "p1", "bytes": 2_000_000}
    rows = (
        row(Kind.LIBRARY, "aten.mm", 500.0, detail="bfloat16[8, 8]", floor_us=400.0),
        row(Kind.GENERATED, "triton_red_0", 300.0, floor_us=200.0, **ours),
        row(Kind.GENERATED, "triton_poi_1", 160.0, floor_us=60.0, after="aten.mm", **inductors),
        row(Kind.OTHER, "memset <b>", 40.0),
    )
    times = Times(1000.0, 990.0, 1020.0)
    certificates = {"p1": {"claim": "correct", "note": "<script>"}}
    return Explanation("net", "eval", Profile(rows, times, 1500.0, 0.96, "a GPU", 9, certificates))


def test_text_has_every_row_with_what_runs_and_why(explanation: Explanation) -> None:
    text = str(explanation)
    lines = text.splitlines()
    assert "96.0% of the work is accounted for" in lines[0]
    assert lines[1] == "ours 30.0%, Inductor's 16.0%, library 50.0%, unknown 4.0%"
    # 1000 / (1000 - 100 - 100), and the elementwise kernel's last 60 us go, too.
    assert "at most 1.25x faster with every generated kernel at its floor, 1.35x if elementwise" in lines[2]
    (ours,) = [line for line in lines if "triton_red_0" in line and "%" in line.split()[0]]
    assert ours.split()[:7] == ["30.0%", "300", "us", "200", "us", "2", "MB"]
    assert "ours: triton_red_0 (30.0%): verified; 1.2x in the model" in lines
    assert "Inductor's: triton_poi_1 (16.0%): the store has nothing for it" in lines


class Seen(HTMLParser):
    """The tags that are open, and all text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.all: set[str] = set()
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.all.add(tag)
        assert not any(value and "://" in value for _, value in attrs)
        self.open += [] if tag == "meta" else [tag]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_has_all_of_it_and_nothing_in_it_is_markup(explanation: Explanation, tmp_path: Path) -> None:
    write(explanation, tmp_path / "net.html")
    seen = Seen((tmp_path / "net.html").read_text())
    assert seen.open == []
    assert not {"b", "script", "link", "img"} & seen.all
    for one in ("triton_red_0", "triton_poi_1", "aten.mm", "memset <b>", '"note": "<script>"', "the store has nothing"):
        assert one in seen.text
    assert "srcdoc" in explanation._repr_html_()


def test_files_are_written_as_their_names_end(explanation: Explanation, tmp_path: Path) -> None:
    write(explanation, tmp_path / "net.json")
    told = json.loads((tmp_path / "net.json").read_text())
    assert told["ceilings"]["generated"] == pytest.approx(1.25)
    assert [one["gain_us"] for one in told["rows"]] == [100.0, 100.0, 100.0, 0.0]
    write(explanation, tmp_path / "net.txt")
    assert (tmp_path / "net.txt").read_text() == f"{explanation}\n"
    with pytest.raises(UserError, match=r"net.pdf: the name must end in .html, .txt, .json"):
        write(explanation, tmp_path / "net.pdf")
    with pytest.raises(UserError, match="make the folder"):
        write(explanation, tmp_path / "none" / "net.html")


def test_reasons_are_the_last_that_optimize_noted_for_these_releases(tmp_path: Path) -> None:
    def journal(name: str, versions: str, *lines: dict[str, str]) -> None:
        told = [{"journal": {"versions": versions}}, *({"id": one["key"], "name": "k", **one} for one in lines)]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in told))

    here = str(Versions.installed())
    slower = {"key": "k1", "became": "slower", "why": "0.97x in the model"}
    journal("a", here, slower, {"key": "k2", "became": "slower"}, {"key": "k2", "became": "admitted"})
    journal("b", "torch 1", {"key": "k3", "became": "refused"})
    (tmp_path / "c.jsonl").write_text('{"journal"')
    found = outcomes(["k1", "k2", "k3"], tmp_path)
    assert found == {"k1": "optimize: slower, 0.97x in the model"}
    assert outcomes(["k1"], tmp_path / "none") == {}


@pytest.mark.slow
@pytest.mark.skipif(torch.cuda.is_available(), reason="a GPU has times")
def test_without_a_gpu_kernels_are_listed(tmp_path: Path) -> None:
    model, x = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.GELU()), torch.randn(4, 8)
    model[0].weight.grad, before = torch.ones(16, 8), torch.get_rng_state()
    model[2].eval()
    found = kernelwright.explain(model, x, mode="train", out=tmp_path / "model.html", store=tmp_path / "store")
    kernels = found.profile.rows
    assert {one.backward for one in kernels} == {False, True}
    assert all(one.bytes and one.calls and len(one.key) == 64 and one.runs == "inductor" for one in kernels)
    # The model is left as it was.
    assert torch.equal(model[0].weight.grad, torch.ones(16, 8)) and torch.equal(before, torch.get_rng_state())
    assert not model[1].running_mean.any() and (model[0].training, model[2].training) == (True, False)
    assert str(found).startswith("Sequential, train: nothing ran, as there is no GPU")
    assert "Inductor's: " in str(found)
    assert all(one.name in (tmp_path / "model.html").read_text() for one in kernels)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["none.py"], "none.py: no such file"),
        (["examples/row_softmax.py", "calls=0"], "calls=0: give a whole number, at least 1"),
        (["examples/row_softmax.py", "mode=evil"], "eval"),
        (["examples/row_softmax.py", "budget=3"], "explain takes mode=…"),
        (["examples/row_softmax.py", "out=a.pdf"], "the name must end in .html, .txt, .json"),
        ([], "explain takes one path"),
    ],
)
def test_bad_words_are_told_in_a_line(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    assert main(["explain", *words]) == 2
    assert told in capsys.readouterr().err


def test_bad_arguments_are_told_in_python() -> None:
    with pytest.raises(UserError, match="inputs go with a live"):
        kernelwright.explain("examples/row_softmax.py", torch.zeros(1))
    with pytest.raises(UserError, match="calls=0"):
        kernelwright.explain(nn.Softmax(-1), torch.zeros(1), calls=0)
    with pytest.raises(UserError, match="mode"):
        kernelwright.explain(nn.Softmax(-1), torch.zeros(1), mode="evil")
