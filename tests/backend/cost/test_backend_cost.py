"""The cost model: what it counts, and how it ranks launch options."""

import math
from dataclasses import replace

import pytest
import sample_modules
import torch

from kernelwright.backend.compile.compiler import compile_launch
from kernelwright.backend.cost.access import layouts_of
from kernelwright.backend.cost.extern import ExternCall, ExternTrace
from kernelwright.backend.cost.model import (
    crowding,
    estimate,
    extern_us_of,
    kept_bytes,
    launch_cost,
    programs_per_sm,
    storage_bytes,
)
from kernelwright.backend.cost.work import Work, in_bounds, work_of
from kernelwright.backend.launch.execute import trace_launches
from kernelwright.backend.targets import get_target
from kernelwright.ir.errors import UserError
from kernelwright.ir.values import Launcher, Resources, TensorSpec

H200 = get_target("h200")


def _work(module):
    (launch,) = trace_launches(module)
    compiled = compile_launch(module, launch, H200)
    return work_of(compiled.ttir, launch, 32 * compiled.num_warps, layouts_of(compiled.ttgir))


def test_a_pointwise_program_reads_and_writes_its_tile():
    work = _work(sample_modules.add_relu(rows=64, columns=1000, block=1024))
    assert work.loaded == {0: 4096.0, 1: 4000.0} and work.stored == {2: 4096.0}
    assert work.rounds == 1 and work.syncs == 0 and work.flops == 2 * 1024


def test_masks_and_loops_count_as_they_run():
    work = _work(sample_modules.column_sum(rows=300, columns=4096, x_block=16, r_block=128))
    assert work.loaded == {0: 3 * 128 * 64.0}  # the first of three rounds stands for all
    assert work.rounds == 3 and work.syncs == 1


def test_scattered_columns_cost_whole_sectors():
    apart, together = (_work(sample_modules.column_sum(512, 4096, x_block=x, r_block=512)) for x in (1, 8))
    assert apart.loaded == {0: 512 * 32.0}
    assert together.loaded == {0: 512 * 32.0}, "eight columns come with the sectors of one"
    assert apart.used == 512 * 4 + 4 and together.used == 512 * 32 + 32
    assert apart.lines == 512 + 1, "each row is a line of its own"


def test_warps_along_columns_ask_for_each_sector_once():
    aligned, uneven = (_work(sample_modules.column_sum(512, columns, 16, 64)) for columns in (4096, 4095))
    assert aligned.loaded == {0: 512 * 64.0} and aligned.requested == 512 * 64 + 64
    assert uneven.loaded[0] > 1.4 * aligned.loaded[0], "a row that starts anywhere takes three sectors"


def test_stores_of_a_few_columns_fill_sectors_in_part():
    whole, one = (_work(sample_modules.column_sum(512, 4096, x_block=x, r_block=64)) for x in (8, 1))
    assert whole.partly == 0 and one.partly == 1
    assert _work(sample_modules.add_relu(rows=64, columns=1000, block=1024)).partly == 0


def test_small_tensors_stay_in_l1_for_all_programs():
    module = sample_modules.add_relu(rows=64, columns=1024, block=1024)
    (launch,), work = trace_launches(module), _work(module)
    assert kept_bytes(launch, work, each=8, held=2**17) == 4096 - 4096 / 8, "the bias, which the first program loads"
    assert kept_bytes(launch, work, each=8, held=2**12) == 0
    assert kept_bytes(launch, work, each=1, held=2**17) == 0


def test_large_pieces_of_many_programs_crowd_memory():
    few, many, pieces = (
        crowding(Work(loaded={0: 8192.0}, rounds=1, stretches=stretches), together)
        for stretches, together in ((1, 1), (1, 16), (32, 16))
    )
    assert few == pieces == 1 < many < 1.1


def test_a_second_loop_loads_again():
    work = _work(sample_modules.row_norm(rows=4, columns=8192, r_block=1024))
    assert work.loaded == {0: 8192 * 4.0} == work.reloaded and work.stored == {1: 8192 * 4.0}
    assert work.touched == 3 * 8192 * 4


def test_what_l2_cannot_hold_comes_from_memory_again():
    rows = [estimate(sample_modules.row_norm(rows, columns=65536, r_block=1024), H200) for rows in (16, 4096)]
    few, many = (found.bytes / (rows * 65536 * 4) for found, rows in zip(rows, (16, 4096), strict=True))
    assert few == 2 and 2.5 < many <= 3


def test_products_are_counted_by_operand_type():
    work = _work(sample_modules.matmul(m=512, n=512, k=256, block=64))
    assert work.products == {"f16": 2.0 * 64 * 64 * 256}
    assert work.loaded == {0: 64 * 256 * 2.0, 1: 64 * 256 * 2.0} and work.rounds == 256 / 32
    module = sample_modules.matmul(m=512, n=512, k=256, block=64)
    (launch,) = trace_launches(module)
    cost = launch_cost(launch, compile_launch(module, launch, H200), H200)
    assert cost.products == {"f16": 2 * 512 * 512 * 256} and cost.flops >= cost.products["f16"]


def test_estimate_adds_up():
    module = sample_modules.add_relu(rows=8192, columns=4096)
    found = estimate(module, H200)
    size = 8192 * 4096 * 4
    assert found.bytes == 2 * size + 4096 * 4
    assert found.flops == 2 * 8192 * 4096 and found.launches == 1
    assert found.obtained == "cost model" and found.bounds == {"add_relu": "memory"}
    assert found.us == sum(found.kernels_us.values()) and found.extern_us == 0
    floor_us = found.bytes / (H200.bandwidth_gb_s * 1e3)
    assert floor_us < found.us < 1.4 * floor_us


def test_extern_operations_count_flops_and_bytes():
    module = sample_modules.matmul(m=512, n=512, k=256)
    launcher = Launcher("""def forward(a: "f16[512, 256]", b: "f16[256, 512]"):
    out = torch.empty_strided((512, 512), (512, 1), device=a.device, dtype=torch.float16)
    aten.mm.out(a, b, out=out)
    return torch.as_strided(out, (512, 512), (1, 512), 0)""")
    found = estimate(replace(module, kernels=(), launcher=launcher), H200)
    assert found.flops == 2 * 512 * 512 * 256 and found.launches == 1
    assert found.bytes == 2 * (2 * 512 * 256 + 512 * 512)
    assert found.us == found.extern_us > 4


def test_views_and_allocations_are_no_operations():
    with ExternTrace() as trace:
        x = torch.empty(8, 8, device="meta")
        x.t()[:4].as_strided((8,), (1,))
        torch.relu(x)
    assert [call.name for call in trace.calls] == ["aten.relu"]
    assert trace.calls[0].bytes == 2 * 8 * 8 * 4


def test_library_rates_follow_the_dtype():
    flops = 10**12
    calls = [ExternCall("aten.mm", flops, 0, dtype) for dtype in (torch.float16, torch.float32, torch.float64)]
    half, single, double = extern_us_of(calls, H200)
    (convolution,) = extern_us_of([ExternCall("aten.convolution", flops, 0, torch.float32)], H200)
    assert half < convolution < single < double


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"block": 1024, "warps": 4}, {"block": 64, "warps": 8}),
        ({"block": 1024, "warps": 4}, {"block": 32, "warps": 1}),
    ],
)
def test_tiny_blocks_cost_more(better, worse):
    good, bad = (estimate(sample_modules.add_relu(8192, 4096, **meta), H200).us for meta in (better, worse))
    assert 1.5 * good < bad


def test_too_few_programs_cost_more():
    spread, crowded = (estimate(sample_modules.row_softmax(4096, 1024, x_block=x, warps=8), H200).us for x in (1, 256))
    assert spread < crowded


def test_neighbouring_columns_should_be_read_together():
    costs = [estimate(sample_modules.column_sum(4096, 4096, x, 512), H200).us for x in (1, 8)]
    assert costs[0] > 2 * costs[1]
    assert estimate(sample_modules.column_sum(4096, 4096, 4096, 1), H200).us > 20 * costs[1]


def test_spills_cost():
    module = sample_modules.row_softmax(4096, 4096)
    (launch,) = trace_launches(module)
    compiled = compile_launch(module, launch, H200)
    spilled = replace(compiled, resources=Resources(255, 4096, 0))
    assert launch_cost(launch, spilled, H200).us > 3 * launch_cost(launch, compiled, H200).us


def test_strided_elements_are_better_asked_for_by_neighbours():
    """Eight elements a thread, each of its own sector, wait for each other in L1; one a thread shares them."""
    apart, together = (sample_modules.max_pool(8192, 8192, block, warps) for block, warps in ((2048, 8), (512, 16)))
    assert estimate(apart, H200).us > 1.2 * estimate(together, H200).us


def test_full_registers_keep_loads_waiting():
    module = sample_modules.column_sum(4096, 4096, 32, 128, warps=2)
    (launch,) = trace_launches(module)
    compiled = compile_launch(module, launch, H200)
    full = replace(compiled, resources=replace(compiled.resources, registers=250))
    room = replace(compiled, resources=replace(compiled.resources, registers=190))
    assert launch_cost(launch, full, H200).us > 2 * launch_cost(launch, room, H200).us


def test_sectors_that_registers_wait_for_are_asked_for_once():
    """Lanes run down the rows, as where Triton does not see that columns are neighbours: a thread asks for four of a
    row one by one, and L1 does not hold what all programs load in a round."""
    module = sample_modules.column_sum(4096, 4095, 4, 512, warps=8)
    (launch,) = trace_launches(module)
    compiled = compile_launch(module, launch, H200)
    lanes = "threadsPerWarp = [4, 8]"
    assert lanes in compiled.ttgir
    down = replace(compiled, ttgir=compiled.ttgir.replace(lanes, "threadsPerWarp = [1, 32]"))
    work = work_of(down.ttir, launch, 256, layouts_of(down.ttgir))
    assert work.touched <= work.own < work.requested / 2
    few = replace(down, resources=replace(down.resources, registers=4))
    resident = {programs_per_sm(one.resources, 256, H200) for one in (few, down)}
    assert resident == {8}, "as many programs share L1"
    assert launch_cost(launch, few, H200).us > 1.2 * launch_cost(launch, down, H200).us


def test_a_wider_memory_is_faster_and_a_small_kernel_is_launch_bound():
    large = sample_modules.add_relu(8192, 4096)
    assert estimate(large, get_target("a100")).us > 1.8 * estimate(large, H200).us
    small = estimate(sample_modules.add_relu(4, 16), H200)
    assert small.bounds == {"add_relu": "launch"} and small.us < 6


@pytest.mark.parametrize(
    ("taken", "threads", "expected"),
    [
        (Resources(16, 0, 0), 128, 16),  # threads
        (Resources(128, 0, 0), 128, 4),  # registers
        (Resources(255, 0, 0), 256, 1),
        (Resources(16, 0, 100_000), 128, 2),  # shared memory
        (Resources(16, 0, 0), 32, 32),  # programs
        (Resources(255, 0, 0), 1024, 0),  # does not fit
    ],
)
def test_occupancy(taken, threads, expected):
    assert programs_per_sm(taken, threads, H200) == expected


def test_a_kernel_that_does_not_fit_takes_forever():
    module = sample_modules.add_relu()
    (launch,) = trace_launches(module)
    compiled = replace(compile_launch(module, launch, H200), resources=Resources(255, 0, 0), num_warps=32)
    assert launch_cost(launch, compiled, H200).us == math.inf


def test_broadcast_tensors_hold_what_is_distinct():
    assert storage_bytes(TensorSpec("x", "f32", (64, 128), (0, 1))) == 128 * 4
    assert storage_bytes(TensorSpec("x", "f16", (0, 128), (128, 1))) == 0


def test_the_interpreter_has_no_cost():
    with pytest.raises(UserError, match="'interpreter' has no cost model"):
        estimate(sample_modules.add_relu(), get_target("interpreter"))


def test_bounds_are_seen_where_masks_are_missing():
    fits, leaves = (sample_modules.matmul(m=size, n=size, k=64, block=64) for size in (128, 160))
    for module, expected in ((fits, True), (leaves, False)):
        (launch,) = trace_launches(module)
        assert in_bounds(compile_launch(module, launch, H200).ttir, launch) is expected
    masked = sample_modules.add_relu(rows=3, columns=5)
    (launch,) = trace_launches(masked)
    assert in_bounds(compile_launch(masked, launch, H200).ttir, launch)
