"""What kernels count by, and their indices as digits of that."""

import pytest

from kernelwright.ir.kernel.analysis.counters import Counters
from kernelwright.ir.kernel.analysis.digits import Digit, Index, paired
from kernelwright.ir.kernel.analysis.launches import KernelLaunch, Launches
from kernelwright.ir.kernel.text.parsing import parse_function


def counters(body: str, grid: tuple[int, ...], *, tuned: bool = False, **blocks: int) -> Counters:
    names = ", ".join(["x", "n", *(f"{name}: tl.constexpr" for name in blocks)])
    text = f"@triton.jit\ndef kernel({names}):\n" + "\n".join(f"    {line}" for line in body.strip().splitlines())
    return Counters(parse_function(text), Launches((KernelLaunch(grid, {"n": 100}),)), blocks, tuned=tuned)


def stored(found: Counters) -> str:
    """The index of the last access, as factors and digits."""
    access = found.axes.accesses.all[-1]
    index = found.index(access.index) if access.index is not None else None
    if index is None:
        return "unknown"
    back = "".join(f" -{d.variable}" if d.reverse else f" {d.variable}" for _, d in index.terms)
    return " ".join(f"{factor}*{d.step}:{d.size}" for factor, d in index.terms) + f" +{index.offset}" + back


LINES = "i = tl.program_id(0) * B + tl.arange(0, B)\ntl.store(x + {}, 0.0, mask=i < n)"


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        ("i", "1*1:100 +0 axis 0"),
        ("(i % 10) * 10 + i // 10", "1*10:10 10*1:10 +0 axis 0 axis 0"),
        ("99 - i", "1*1:100 +0 -axis 0"),
        ("i // 10 * 10 + 9 - i % 10", "1*1:10 10*10:10 +0 -axis 0 axis 0"),
        ("(99 - i) // 10", "1*10:10 +0 -axis 0"),
        ("i % 7", "unknown"),
        ("i * n", "100*1:100 +0 axis 0"),
    ],
)
def test_indices_are_digits_of_a_counter(index: str, expected: str) -> None:
    assert stored(counters(LINES.format(index), (4,), B=32)) == expected


def test_programs_lanes_and_turns_cover_what_they_reach() -> None:
    (axis, _) = counters(LINES.format("i"), (4,), B=32).all
    assert (axis.size, axis.covers, axis.whole, axis.most) == (100, True, False, 128)
    (axis, _) = counters(LINES.format("i"), (3,), B=32).all
    assert (axis.size, axis.covers, axis.most) == (100, False, 96)
    loop = "for s in range(0, n, B):\n    i = s + tl.arange(0, B)\n    tl.store(x + i, 0.0, mask=i < n)"
    (axis,) = counters(loop, (1,), B=32).all
    assert (axis.size, axis.covers, axis.whole, axis.most) == (100, True, False, 128)
    rows = "r = tl.program_id(0)\nc = tl.arange(0, B)\ntl.store(x + r * n + c, 0.0, mask=c < n)"
    found = counters(rows, (7,), B=128)
    assert [(one.size, one.covers, one.whole) for one in found.all] == [(100, True, True), (7, True, False)]
    assert stored(found) == "1*1:100 100*1:7 +0 axis 0 program 0"


def test_a_program_number_taken_apart_counts_twice() -> None:
    text = "p = tl.program_id(0)\nw = tl.cdiv(n, B)\ni = p % w * B + tl.arange(0, B)\n"
    text += "tl.store(x + p // w * n + i, 0.0, mask=i < n)"
    assert stored(counters(text, (12,), B=32)) == "1*1:100 100*4:3 +0 axis 0 program 0"
    # An index that depends on a block size is none where that may change.
    assert stored(counters(text, (12,), tuned=True, B=32)) == "unknown"


def test_signs_are_known_where_all_parts_have_one() -> None:
    found = counters(LINES.format("(i // 3 + 2 * i)"), (4,), B=32)
    index = found.axes.accesses.all[-1].index
    assert index is not None and found.least(index) == 0
    assert found.least(index.plus(index, -2)) is None


def test_two_ways_to_count_meet_digit_by_digit() -> None:
    whole = Index.whole("e", 60)
    rows = Index.sum([(1, Digit("c", 1, 6, True)), (6, Digit("r", 1, 10))])
    assert paired(whole, rows, 60) == [
        (Digit("e", 1, 6), Digit("c", 1, 6, True)),
        (Digit("e", 6, 10), Digit("r", 1, 10)),
    ]
    assert paired(whole, Index.sum([(1, Digit("c", 1, 8)), (8, Digit("r", 1, 10))]), 60) is None
    assert paired(Index.sum([(1, Digit("a", 1, 4)), (4, Digit("b", 1, 15))]), rows, 60) is None
