"""Templates for products on the bed: tried, judged and admitted in a running model, whose times are planned."""

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "swap"))
import bed


def admitted(folder: str) -> Any:
    """What becomes of a model's products where templates make it faster, and where they make it slower."""
    import re
    from pathlib import Path

    import torch

    from kernelwright.backend.store.store import Store
    from kernelwright.driver.optimize.products import Products
    from kernelwright.driver.optimize.running import Running
    from kernelwright.driver.optimize.subjects import Model
    from kernelwright.driver.torch_backend import kernelwright
    from kernelwright.driver.torch_compile import regions
    from kernelwright.evaluation.judge.local import LocalEvaluator
    from kernelwright.ir.passes import Context

    class Planned(Running):
        """Tall tiles are fast; a template saves a tenth of the model's time, or costs as much."""

        saved = 0.1

        def times(self, keys: Any, ours: Any = None) -> Any:
            super().times(keys, ours or {})  # it runs all the same
            sources = {kernel.key: kernel.source for graph in self.graphs for kernel in graph.kernels}
            tall = {key: int(re.findall(r"BLOCK_M : tl.constexpr = (\d+)", sources[key])[0]) for key in keys}
            return {key: (100.0 - tall[key] / 10, 1) for key in keys}

        def model_us(self, _ours: Any = None) -> float:
            templates = sum(bool(kernel.grid) for graph in self.graphs for kernel in graph.kernels)
            return 1000.0 * (1 - self.saved * templates)

    class Slower(Planned):
        saved = -0.1

    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Linear(32, 48), torch.nn.GELU(), torch.nn.LayerNorm(48), torch.nn.Linear(48, 8)
    )
    x, found = torch.randn(4, 16, 32), {}
    with LocalEvaluator("interpreter", seeds=1) as judge:
        for kind in (Slower, Planned):
            store, subject = Store.open(Path(folder) / kind.__name__), Model(model.eval(), [x], "eval")
            made = Products(
                subject,
                6000.0,
                store,
                Context("interpreter", judge),
                most=2,
                running=lambda subject, templates, kind=kind: kind(subject, templates=templates),
            )
            tried = made.run()
            found[kind.__name__] = {
                "tried": [[one.verdict, one.admitted, one.why, one.choice.block_m] for one in tried],
                "most": [max(some.block_m for some in made.choices[one.product.key]) for one in tried],
                "stored": [[one.kind, dict(one.certificate)] for one in store.entries()],
                "whole": made.whole.told() if made.whole else None,
            }
    with torch.no_grad():
        fast = torch.compile(model, backend=kernelwright, options={"store": str(Path(folder) / "Planned")})
        found["apart"] = float((fast(x) - model(x)).abs().max())
    found["swaps"] = [str(one) for region in regions() for one in region.swaps]
    return found


@pytest.mark.slow
def test_a_template_that_wins_in_the_model_is_admitted_and_runs_from_then_on(tmp_path: Path) -> None:
    found = bed.run(admitted, tmp_path, str(tmp_path))
    slower, faster = found["Slower"], found["Planned"]
    assert [one[:2] for one in slower["tried"]] == [["ok", False]] and slower["stored"] == [], slower
    assert "0.909x" in slower["tried"][0][2]
    ((verdict, kept, _, block),) = faster["tried"]
    assert (verdict, kept) == ("ok", True) and [block] == faster["most"], faster
    ((kind, certificate),) = faster["stored"]
    assert kind == "choice" and certificate["model"]["ratio"] == pytest.approx(10 / 9, rel=1e-3)
    assert faster["whole"]["low"] > 1 and found["apart"] < 1e-5
    assert any("triton_tem" in line and "kernelwright, mm in tiles of" in line for line in found["swaps"]), found
