"""What warps ask for, by layout, and what counts once."""

import numpy as np
import pytest

from kernelwright.backend.cost.access import Blocked, Ledger, layouts_of, partly, requests, stretches

LAYOUT = "sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]"
TTGIR = f"""#blocked = #ttg.blocked<{{{LAYOUT}}}>
module attributes {{"ttg.num-warps" = 4 : i32}} {{
  tt.func public @k(%x_ptr: !tt.ptr<f32>) {{
    %0 = tt.load %a, %mask : tensor<8x64x!tt.ptr<f32>, #blocked> loc(#loc)
    %1 = tt.load %b : !tt.ptr<f32> loc(#loc1)
    %2 = tt.load %c : tensor<8x!tt.ptr<f32>, #ttg.slice<{{dim = 0, parent = #blocked}}>> loc(#loc1)
    tt.store %d, %0 : tensor<8x64x!tt.ptr<f32>, #blocked> loc(#loc)
"""
ROW = Blocked((1,), (32,), (4,), (0,))
ROW_BY_FOUR = Blocked((4,), (32,), (1,), (0,))


def test_layouts_are_read_in_order():
    blocked = Blocked((1, 4), (2, 16), (4, 1), (1, 0))
    assert layouts_of(TTGIR) == (((8, 64), blocked), ((), None), ((8,), None), ((8, 64), blocked))


@pytest.mark.parametrize(
    ("layout", "stride", "lines", "sectors"),
    [
        (ROW, 1, 4, 16),  # four warps, each a line
        (ROW, 2, 8, 32),
        (ROW, 32, 128, 128),  # each element a line of its own
        (ROW_BY_FOUR, 1, 4, 16),  # one instruction for four elements
        (ROW_BY_FOUR, 2, 4 * 8, 4 * 32),  # four instructions, each over the whole span
        (None, 2, 8, 32),
    ],
)
def test_requests_by_layout_and_stride(layout, stride, lines, sectors):
    offsets = np.arange(128) * stride
    found = requests(offsets, np.ones(128, np.int64), 4, layout)
    assert (found.lines, found.sectors) == (lines, sectors)


def test_a_warp_touches_a_sector_once_however_many_of_its_instructions_do():
    """Lanes run down 32 rows, and two warps down 32 more: four columns of a row lie in one sector."""
    offsets = np.arange(4)[:, None] + 1000 * np.arange(64)[None, :]
    found = requests(offsets, np.ones((4, 64), np.int64), 4, Blocked((1, 1), (1, 32), (1, 2), (1, 0)))
    assert (found.sectors, found.own) == (4 * 64, 64)
    shared = requests(np.arange(64) // 8, np.ones(64, np.int64), 4, Blocked((1,), (32,), (2,), (0,)))
    assert (shared.sectors, shared.own) == (2, 2), "either warp asks for the one sector"


def test_unaligned_elements_are_asked_for_one_by_one():
    found = requests(np.arange(128) + 1, np.ones(128, np.int64), 4, ROW_BY_FOUR)
    assert found.sectors == 4 * 16 + 1


def test_masked_elements_are_not_asked_for():
    active = (np.arange(128) < 40).astype(np.int64)
    assert requests(np.arange(128), active, 4, ROW).sectors == 5
    assert requests(np.arange(128), 0 * active, 4, ROW).sectors == 0


def test_lanes_along_rows_touch_a_line_each():
    """A tile of 2 columns by 32 rows: lanes run down the rows, so that each column takes 32 lines."""
    offsets = np.arange(2)[:, None] + 1000 * np.arange(32)[None, :]
    down = requests(offsets, np.ones((2, 32), np.int64), 4, Blocked((1, 1), (1, 32), (1, 1), (1, 0)))
    across = requests(offsets, np.ones((2, 32), np.int64), 4, Blocked((1, 1), (2, 16), (1, 1), (0, 1)))
    assert (down.lines, across.lines) == (64, 32)


@pytest.mark.parametrize(
    ("offsets", "width", "sectors"),
    [
        (np.arange(16), 4, 0),
        (np.arange(16) + 3, 4, 2),  # a row that begins and ends within a sector
        (np.arange(16).repeat(2), 4, 0),  # twice the same is once
        (np.arange(16) * 2, 4, 4),
        (np.arange(16) + 4, 8, 0),
        (np.arange(0), 4, 0),
    ],
)
def test_sectors_that_are_filled_in_part(offsets, width, sectors):
    assert partly(offsets, width) == sectors


def test_pieces_of_memory_are_counted():
    assert stretches(np.arange(40)) == 1
    assert stretches(np.array([0, 1, 2, 7, 8, 100])) == 3


def test_what_loads_of_one_loop_share_counts_once():
    ledger = Ledger()
    ledger.note(0, 1, 3.0, np.arange(8), 256)
    ledger.note(0, 1, 3.0, np.arange(4, 12), 256)
    ledger.note(1, 1, 1.0, None, 4096)
    assert ledger.bytes() == ({0: 12 * 32 * 3.0, 1: 4096.0}, {})


def test_a_later_loop_repeats_what_it_shares():
    ledger = Ledger()
    for loop, start in ((1, 0), (3, 0), (5, 100)):
        ledger.note(0, loop, 2.0, np.arange(start, start + 8), 256)
    assert ledger.bytes() == ({0: 2 * 8 * 32 * 2.0}, {0: 8 * 32 * 2.0})
