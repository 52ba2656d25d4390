"""Sums written from forms say what the forms say."""

import pytest

from kernelwright.ir.kernel.analysis.indices import Indices
from kernelwright.ir.kernel.normal import normal_form
from kernelwright.ir.kernel.rewriting import Rewriting
from kernelwright.ir.kernel.sums import Sums
from kernelwright.ir.kernel.text.parsing import parse_function
from kernelwright.ir.kernel.values import Function

TEXT = """@triton.jit
def k(x, n, B: tl.constexpr):
    rows = tl.program_id(0) * B + tl.arange(0, B)[:, None]
    columns = tl.arange(0, B)[None, :]
    seen = tl.load(x).to(tl.int32)
    tl.store(x + ({index}), 1.0)
"""
INDICES = [
    "300 * rows + columns",
    "rows // 5 % 3 * n + columns",
    "(rows * n + 7) // 4 * 4 - columns",
    "rows + columns * 0 + seen * B",
    "(n - 1) // B * B + rows + columns",
]


def written_again(index: str, known: bool) -> tuple[Function, Function]:
    """A kernel, and the same with its store's index written from its form before the store."""
    function = parse_function(TEXT.format(index=index))
    (store,) = [one for one in function.walk() if one.kind == "store"]
    indices, edits = Indices(function), Rewriting(function)
    base, offset = indices.definitions[store.operands[0]].operands  # type: ignore[index]
    values = {v for one in function.body.operations for v in one.results if known or one.effect}
    sums = Sums(edits, indices, {*function.body.arguments, *values})
    form = indices.form(offset)
    assert form is not None
    total = sums.form(form, 2)
    assert total is not None
    edits.before(store, *sums.made)
    edits.change(store, pointer=edits.compute(store, "add", lhs=base, rhs=total))
    return function, edits.done()


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("index", INDICES)
def test_a_sum_written_from_its_form_is_the_same_sum(index: str, known: bool) -> None:
    before, after = written_again(index, known)
    assert normal_form(after) == normal_form(before)


def test_what_was_loaded_is_not_loaded_again() -> None:
    function = parse_function(TEXT.format(index="rows + columns + seen"))
    indices, edits = Indices(function), Rewriting(function)
    (store,) = [one for one in function.walk() if one.kind == "store"]
    form = indices.form(indices.definitions[store.operands[0]].operands[1])  # type: ignore[index]
    assert form is not None
    assert Sums(edits, indices, set(function.body.arguments)).form(form, 2) is None
