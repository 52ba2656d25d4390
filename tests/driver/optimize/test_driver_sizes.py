"""Sizes that change from call to call: ours runs between the sizes at which it is verified, Inductor's elsewhere."""

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from kernelwright.backend.store.entry import Entry, Versions
from kernelwright.driver.extraction.ranges import widened
from kernelwright.frontend.swap.sizes import fitting

sys.path.insert(0, str(Path(__file__).parents[2] / "swap"))
import bed

HERE = Path(__file__).parent


@pytest.mark.slow
def test_ours_runs_inside_the_certificates_sizes_and_inductors_outside(tmp_path: Path) -> None:
    text = f"import sys\nsys.path.insert(0, {str(HERE)!r})\nfrom sizes import changing as work\n"
    for found in bed.run(text, tmp_path, str(tmp_path / "stores")):
        assert found["counts"] == {"admitted": 1}, found
        assert found["apart"] < 1e-5, found
        assert found["inside"] == [[1, 0]] * 3 and found["outside"] == [[0, 1]] * len(found["outside"]) != [], found
        assert found["certificates"] == [["right"] * 6], found


@pytest.mark.parametrize(
    ("known", "fit", "not_fit"),
    [
        # Each is between its least and its most.
        ([("x", (5, 3, 9, 7)), ("y", (4, 7, 2, 2))], [(3, 7), (9, 4)], [(2, 4), (10, 4), (5, 8)]),
        # One size alone.
        ([("x", (5,)), ("y", (5,))], [(5, 5)], [(5, 4), (4, 5)]),
        # Multiples of 32; equal sizes; a constant ratio.
        ([("x", (32, 96, 160))], [(64,), (128,)], [(65,), (192,)]),
        ([("x", (5, 9, 2)), ("y", (5, 9, 2))], [(4, 4), (9, 9)], [(4, 5), (9, 2)]),
        ([("x", (5, 9, 2)), ("y", (40, 72, 16))], [(4, 32)], [(4, 40), (4, 33)]),
        # A product of two others.
        ([("n", (35, 6, 99)), ("a", (5, 2, 9)), ("b", (7, 3, 11))], [(20, 4, 5)], [(20, 5, 5), (36, 5, 7)]),
    ],
)
def test_what_holds_at_all_known_sizes_must_hold(
    known: Sequence[tuple[str, Sequence[int]]], fit: Sequence[tuple[int, ...]], not_fit: Sequence[tuple[int, ...]]
) -> None:
    fits = fitting(known, ["in_ptr", *(name for name, _ in known)])
    assert all(fits(["a tensor", *one]) for one in fit)
    assert not any(fits(["a tensor", *one]) for one in not_fit)


def test_a_size_at_which_a_kernel_is_not_right_ends_its_range() -> None:
    entry = Entry(
        "0" * 64,
        "interpreter",
        Versions.installed(),
        "replacement",
        module="a module",
        replacement="a text",
        form="kernel",
        sizes=(("x", (8,)),),
    )
    made = widened(entry, [{"x": 4}, {"x": 9}, {"x": 32}], [{"x": 16}, {"x": 64}])
    assert made.sizes == (("x", (8, 4, 9)),)
    assert Entry.parse(made.text) == made and made.pick != entry.pick
