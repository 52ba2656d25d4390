"""`optimize` on the bed: kernels are searched, verified and exchanged in a running model, whose times are planned."""

import sys
from pathlib import Path
from typing import Any

import pytest

from kernelwright.driver.cli import main

sys.path.insert(0, str(Path(__file__).parents[2] / "swap"))
import bed


def optimized(folder: str) -> dict[str, Any]:
    """What becomes of a model's two kernels: in one run, in the next one, and where the model's own time tells against
    both."""
    from pathlib import Path
    from types import MappingProxyType

    import torch
    from torch import nn

    from kernelwright.backend.store.store import Store
    from kernelwright.driver.config.discovery import discover
    from kernelwright.driver.optimize.optimizing import Optimizing, searching
    from kernelwright.driver.optimize.running import Running
    from kernelwright.driver.torch_backend import kernelwright
    from kernelwright.driver.torch_compile import regions
    from kernelwright.evaluation.judge.local import LocalEvaluator
    from kernelwright.ir.passes import Context

    discover()
    torch.manual_seed(0)
    model, x = nn.Sequential(nn.LayerNorm(32), nn.Linear(32, 8), nn.Softmax(-1)).train(), torch.randn(5, 32)
    state = {name: value.clone() for name, value in model.state_dict().items()}
    searched: list[float] = []

    class Planned(Running):
        """Softmax saves a tenth; what the other kernel saves is lost again, and the model may take longer."""

        slower = False

        def times(self, keys, ours=MappingProxyType({})):
            assert all(self.places[key] for key in keys)
            super().times(keys, ours)  # it runs all the same
            names = {key: self.places[key][0].name for key in keys}
            return {key: (100.0 - 10 * (key in ours) * ("softmax" in name), 1) for key, name in names.items()}

        def model_us(self, ours=MappingProxyType({})):
            return 1000.0 + (len(ours) if self.slower else -10.0 * len(ours))

    def pipeline(target: str, seconds: float) -> Any:
        searched.append(seconds)
        return searching(target, seconds)

    def run(store: str, slower: bool = False) -> dict[str, Any]:
        running = Planned(model, [x], "eval")
        running.slower = slower
        with LocalEvaluator("interpreter", seeds=1) as judge:
            given = Store.open(Path(folder) / store), Context("interpreter", judge)
            found = Optimizing(model, [x], "eval", 600.0, *given, pipeline=pipeline, running=running).run()
        return found.told() | {"stored": len(list(given[0].entries())), "text": str(found)}

    first = run("store")
    asked = len(searched)
    again = run("store")
    same = all(torch.equal(value, state[name]) for name, value in model.state_dict().items())
    with torch.no_grad():
        fast = torch.compile(model.eval(), backend=kernelwright, options={"store": str(Path(folder) / "store")})
        apart = float((fast(x) - model(x)).abs().max())
    swaps = [[swap.name, swap.runs, swap.why] for region in regions() for swap in region.swaps]
    return {
        "first": first,
        "again": again,
        "worse": run("other", slower=True),
        "left": [same, all(one.grad is None for one in model.parameters())],
        "apart": apart,
        "swaps": swaps,
        "asked": asked,
    }


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("optimized")
    made: dict[str, Any] = bed.run(optimized, folder, str(folder))
    return made


@pytest.mark.slow
def test_what_wins_in_the_model_is_admitted_and_runs_from_then_on(found: dict[str, Any]) -> None:
    kernels = {"softmax" if "softmax" in one["name"] else "norm": one for one in found["first"]["kernels"]}
    softmax, norm = kernels["softmax"], kernels["norm"]
    assert (softmax["became"], norm["became"]) == ("admitted", "slower"), found["first"]
    assert softmax["graph"]["ratio"] == pytest.approx(100 / 90, rel=1e-3) and norm["graph"]["ratio"] == 1.0
    assert found["first"]["stored"] == 1 and found["first"]["whole"]["ratio"] == pytest.approx(1000 / 990, rel=1e-3)
    runs = {"softmax" in name: (runs, why) for name, runs, why in found["swaps"]}
    assert runs[True] == ("kernelwright", "verified; 1.111x [1.111, 1.111] in the model")
    assert runs[False][0] == "inductor" and found["apart"] < 1e-6
    assert found["left"] == [True, True]


@pytest.mark.slow
def test_a_second_run_goes_on_behind_the_first(found: dict[str, Any]) -> None:
    kept = ("key", "name", "became", "graph", "digest")
    first, again = ([{key: one[key] for key in kept} for one in found[run]["kernels"]] for run in ("first", "again"))
    assert sorted(first, key=str) == sorted(again, key=str)
    assert "1 admitted" in found["again"]["text"] and found["again"]["whole"] == found["first"]["whole"]


@pytest.mark.slow
def test_a_winner_with_which_the_model_takes_longer_is_dropped(found: dict[str, Any]) -> None:
    worse = found["worse"]
    assert worse["counts"] == {"dropped": 1, "slower": 1} and worse["stored"] == 0 and worse["whole"] is None
    assert "as Inductor compiled it" in worse["text"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "optimize takes one path"),
        (["nowhere.py"], "nowhere.py: no such file"),
        ([__file__, "mode=both"], "mode='both': choose from eval, train, autocast"),
        ([__file__, "budget=soon"], "budget: give a number of seconds"),
        ([__file__, "target=h100"], "optimize takes budget=…, mode=…, seed=…, store=…, out=…, got target=h100"),
    ],
)
def test_bad_words_are_told_at_once(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["optimize", *words]) == 2
    assert told in capsys.readouterr().err
