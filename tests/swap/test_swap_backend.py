"""`torch.compile(backend="kernelwright")`: what was at fault once, caches, locks, and jobs of several processes."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import bed
import pytest
import swap_cases

from kernelwright.driver.torch_compile.options import Request
from kernelwright.frontend.inductor.plain import Inductor


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    found: dict[str, str] = bed.run("from swap_cases import run_all as work", tmp_path_factory.mktemp("cases"))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", swap_cases.CASES)
def test_case(outcomes: dict[str, str], name: str) -> None:
    assert outcomes[name] == "", outcomes[name]


@pytest.mark.parametrize(
    ("option", "why"),
    [("cpp_wrapper", "without Python"), ("triton.multi_kernel", "multi_kernel chooses"), ("max_autotune", "")],
)
def test_what_hooks_do_not_see_says_so(option: str, why: str) -> None:
    value: Any = 1 if option == "triton.multi_kernel" else True
    found = Inductor(None, {option: value}, ()).why_hidden()
    assert why in found and bool(why) == bool(found)


def test_ours_and_inductors_options_are_told_apart() -> None:
    given = {"store": "kernels", "lock": Path("kernelwright.lock"), "deterministic": True, "max_autotune": True}
    options = Request.read(given, None).options
    assert options.store == Path("kernels") and options.lock == Path("kernelwright.lock") and options.deterministic


def second_process(how: str) -> Any:
    """One training step, by `how`; what Inductor's caches did, and how it differs from eager."""
    import entries
    import torch
    from torch._dynamo.utils import counters
    from torch._inductor.utils import run_and_get_code

    from kernelwright.driver.torch_backend import kernelwright
    from kernelwright.driver.torch_compile import regions

    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.LayerNorm(32), torch.nn.GELU())
    x = torch.randn(5, 16)

    def step(backend: Any) -> Any:
        model.zero_grad()
        torch.compile(model, backend=backend)(x).square().sum().backward()
        return [parameter.grad.clone() for parameter in model.parameters()]

    if how == "kept":
        return len(entries.keep(entries.generated(lambda: step("inductor"))))
    got, code = run_and_get_code(step, "inductor" if how == "inductor" else kernelwright)
    model.zero_grad()
    model(x).square().sum().backward()
    wanted = [parameter.grad for parameter in model.parameters()]
    return {
        "error": max(float((a - b).abs().max()) for a, b in zip(got, wanted, strict=True)),
        "caches": {k: v for k, v in counters["inductor"].items() if k.startswith("fxgraph_cache")}
        | {k: v for k, v in counters["aot_autograd"].items() if k.startswith("autograd_cache_")},
        "code": code,
        "regions": [[one.runs, one.why] for one in regions()],
        "backward": [swap.backward for one in regions() for swap in one.swaps],
    }


@pytest.mark.slow
def test_a_hit_of_inductors_caches_is_a_hit_here_with_kernels_replaced(tmp_path: Path) -> None:
    first, plain = (bed.run(second_process, tmp_path, "inductor") for _ in range(2))
    assert "fxgraph_cache_miss" in first["caches"] and "fxgraph_cache_miss" not in plain["caches"]
    kernels = bed.run(second_process, tmp_path, "kept")
    ours = bed.run(second_process, tmp_path, "kernelwright")
    assert ours["caches"] == plain["caches"] and ours["error"] < 1e-5
    assert ours["regions"] == [["kernelwright", f"{kernels} of {kernels} kernels replaced"]]
    assert set(ours["backward"]) >= {False}
    off = bed.run(second_process, tmp_path, "kernelwright", KERNELWRIGHT_DISABLE="1")
    assert off["caches"] == plain["caches"] and off["code"] == plain["code"] and off["error"] == plain["error"]
    assert off["regions"] == [["inductor", "KERNELWRIGHT_DISABLE=1"]]


@pytest.mark.slow
def test_what_was_compiled_here_is_a_hit_for_inductor(tmp_path: Path) -> None:
    ours, plain = bed.run(second_process, tmp_path, "kernelwright"), bed.run(second_process, tmp_path, "inductor")
    assert "fxgraph_cache_miss" in ours["caches"] and "fxgraph_cache_miss" not in plain["caches"]
    # Nothing is written otherwise than Inductor would.
    elsewhere = bed.run(second_process, tmp_path / "elsewhere", "inductor")
    assert ours["code"] == [text.replace(str(tmp_path / "elsewhere"), str(tmp_path)) for text in elsewhere["code"]]


def as_a_rank(rank: int, rendezvous: str) -> Any:
    """What one of two processes runs for a kernel; the second one has something newer in its own store. Then what both
    run where the second one has waited for the first in vain."""
    import entries
    import torch

    from kernelwright.driver.torch_backend import kernelwright
    from kernelwright.driver.torch_compile import picks, regions

    x = torch.full((18,), 0.5)
    kernels = entries.generated(lambda: torch.compile(torch.sin)(x))
    entries.keep(kernels)
    if rank == 1:
        entries.keep(kernels, entries.doubled)
    alone = float(torch.compile(torch.sin, backend=kernelwright)(x)[0])
    torch.compiler.reset()
    torch.distributed.init_process_group("gloo", f"file://{rendezvous}", rank=rank, world_size=2)
    together = float(torch.compile(torch.sin, backend=kernelwright)(x)[0])
    found: list[Any] = [alone, together, regions()[-1].swaps[0].pick]
    picks.PATIENCE_S = 1.0
    for turn in (1, 0):
        torch.distributed.barrier()
        if rank == turn:
            torch.compiler.reset()
            found += [float(torch.compile(torch.sin, backend=kernelwright)(x)[0]), str(regions()[-1].swaps[0])]
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()
    return found


@pytest.mark.slow
def test_two_ranks_choose_as_the_first_one_does(tmp_path: Path) -> None:
    with ThreadPoolExecutor() as pool:
        ranks = [pool.submit(bed.run, as_a_rank, tmp_path / str(rank), rank, str(tmp_path / "meet")) for rank in (0, 1)]
        first, second = (rank.result() for rank in ranks)
    assert second[0] == pytest.approx(2 * first[0])  # each by itself runs what its store has
    assert first[1:] == second[1:] and first[1] == pytest.approx(first[0])
    assert "the first process of the job names nothing for it" in first[-1]
