"""On a GPU: a kernel that is a tenth faster is admitted in the running model, and Inductor's beside itself is not. A
hot model gives right values while it is searched and afterwards. A kernel takes the place of a library's call. One for
sizes that change is tried at others."""

import json
import math
import threading
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from kernelwright.backend.store.store import Store
from kernelwright.backend.torch_private import keep_device_busy
from kernelwright.driver.optimize import hot
from kernelwright.driver.optimize.admission import LOOKS, Pair, orders, summary
from kernelwright.driver.optimize.running import Running
from kernelwright.driver.optimize.session import optimize_model
from kernelwright.driver.optimize.subjects import Model
from kernelwright.driver.torch_backend import kernelwright
from kernelwright.driver.torch_compile import regions

TRIALS = 100


class Late:
    """A kernel that keeps the device busy for some cycles more at each launch."""

    def __init__(self, kernel: Any, cycles: int) -> None:
        self.kernel, self.cycles = kernel, cycles

    def run(self, *arguments: Any, **options: Any) -> Any:
        result = self.kernel.run(*arguments, **options)
        keep_device_busy(self.cycles)
        return result


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    torch.manual_seed(0)
    layers = [layer for _ in range(4) for layer in (nn.Linear(2048, 2048), nn.LayerNorm(2048), nn.GELU())]
    model = nn.Sequential(*layers).cuda().bfloat16().eval()
    with Running(Model(model, [torch.randn(4096, 2048, device="cuda", dtype=torch.bfloat16)], "eval")) as found:
        yield found


def wins(running: Running, key: str, baseline: Any, kernel: Any) -> int:
    """In how many trials the kernel is admitted beside the baseline."""

    def take(ours_first: bool) -> Pair:
        sides = [kernel, baseline] if ours_first else [baseline, kernel]
        first, second = (running.times((key,), {key: side})[key][0] for side in sides)
        return (second, first) if ours_first else (first, second)

    return sum(running.compared(take, math.inf).wins for _ in range(TRIALS))


@pytest.mark.gpu
@pytest.mark.slow
def test_a_planted_win_is_admitted_and_a_kernel_beside_itself_is_not(running: Running) -> None:
    times = {key: running.times((key,))[key] for key in running.places}
    key = max(times, key=lambda one: times[one][0])
    own, (us, launches) = running.places[key][0].found, times[key]
    # What so many cycles take, measured as launches are.
    cycles, empty, late = 20_000, Late(own, 0), Late(own, 20_000)
    a_cycle_us = (running.times((key,), {key: late})[key][0] - running.times((key,), {key: empty})[key][0]) / (
        cycles * launches
    )
    tenth = Late(own, max(1, round(0.1 * us / launches / a_cycle_us)))
    assert wins(running, key, tenth, empty) >= 90
    assert wins(running, key, empty, empty) < 5


@pytest.mark.gpu
@pytest.mark.slow
def test_a_model_beside_itself_takes_as_long(running: Running) -> None:
    take = running.models_in_turn({key: places[0].found for key, places in running.places.items()})
    found = summary([take(first) for first in islice(orders(), LOOKS[-1])], 0.95)
    assert 0.995 <= found.ratio <= 1.005, found


@pytest.mark.gpu
@pytest.mark.slow
def test_calls_of_a_hot_model_are_right_and_it_runs_what_its_search_admits(tmp_path: Path) -> None:
    torch.manual_seed(0)
    model, x = nn.Sequential(nn.Linear(999, 999), nn.Softmax(-1)).cuda().eval(), torch.randn(4096, 999, device="cuda")
    options = {"hot": True, "search": 45, "store": str(tmp_path)}
    fast, wrong, calls = torch.compile(model, backend=kernelwright, options=options), 0, [0, 0]
    with torch.no_grad():
        wanted = model(x)
        while calls[False] < 500:
            searching = any(one.name == hot.THREAD for one in threading.enumerate())
            wrong += not torch.allclose(fast(x), wanted, rtol=1e-4, atol=1e-6)
            calls[searching] += 1
    assert wrong == 0 and sum(calls) >= 1000, (wrong, calls)
    runs = {swap.pick for region in regions() for swap in region.swaps if swap.runs == "kernelwright"}
    assert runs == {entry.pick for entry in Store.open(tmp_path).entries()}


@pytest.mark.gpu
@pytest.mark.slow
def test_a_kernel_is_admitted_for_a_librarys_call_and_runs_also_under_cuda_graphs(tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(3, 256, 16, stride=16), nn.GELU()).cuda().bfloat16().eval()
    batches = [torch.randn(32, 3, 224, 224, device="cuda", dtype=torch.bfloat16) for _ in range(4)]
    found = optimize_model(model, batches[:1], budget=90, store=tmp_path)
    assert any(one.name.startswith("library_convolution") for one in found.admitted), json.dumps(found.told())
    for mode in ("default", "reduce-overhead"):
        torch.compiler.reset()
        fast = torch.compile(model, backend=kernelwright, options={"store": str(tmp_path), "mode": mode})
        with torch.no_grad():
            for x in batches:
                torch.compiler.cudagraph_mark_step_begin()
                torch.testing.assert_close(fast(x), model(x), rtol=2e-2, atol=2e-2)
        swaps = [swap for region in regions() for swap in region.swaps if swap.name.startswith("library_")]
        assert [swap.runs for swap in swaps] == ["kernelwright"], swaps


@pytest.mark.gpu
@pytest.mark.slow
def test_a_kernel_for_sizes_that_change_is_verified_and_timed_at_others(tmp_path: Path) -> None:
    torch.manual_seed(0)
    model, x = nn.Sequential(nn.Linear(999, 999), nn.Softmax(-1)).cuda().eval(), torch.randn(4096, 999, device="cuda")
    found = optimize_model(model, [x], budget=60, dynamic=True, store=tmp_path)
    assert found.admitted, json.dumps(found.told())
    told = [one for entry in Store.open(tmp_path).entries() for one in entry.certificate.get("other sizes", ())]
    judged = [one for one in told if "checks" in one]
    assert judged and all(one["checks"] == "reward" for one in judged), told
    assert all("alone" in one for one in judged if not one["became"].startswith("it is not verified")), told
