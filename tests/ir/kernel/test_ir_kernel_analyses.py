"""Indices, masks and axes of kernels, against numbers: what a form says of an index is what the kernel computes."""

import textwrap

import numpy as np
import pytest
from kernel_corpus import corpus

from kernelwright.ir.kernel.analysis.accesses import Accesses
from kernelwright.ir.kernel.analysis.axes import Axes
from kernelwright.ir.kernel.analysis.forms import Factor, Form, Leaf
from kernelwright.ir.kernel.analysis.indices import Indices
from kernelwright.ir.kernel.analysis.launches import KernelLaunch, Launches
from kernelwright.ir.kernel.text.inlining import inlined
from kernelwright.ir.kernel.text.parsing import kernel_functions, parse_function
from kernelwright.ir.kernel.values import Constant, Function, Operand, Value
from kernelwright.ir.values import TensorSpec

BINARY = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "floordiv": np.floor_divide, "mod": np.mod,
    "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
}  # fmt: skip


class Numbers:
    """Integers of a function at small block sizes; what memory or a launch decides is drawn, positive."""

    def __init__(self, indices: Indices, function: Function, seed: int) -> None:
        self.indices = indices
        self.random = np.random.default_rng(seed)
        self.known: dict[Operand, np.ndarray] = {}
        pairs = zip(function.parameters, function.body.arguments, strict=True)
        for parameter, value in pairs:
            self.known[value] = np.array(2 ** self.random.integers(1, 4) if parameter.is_constexpr else self.drawn())

    def drawn(self, shape: tuple[int, ...] = ()) -> np.ndarray:
        return self.random.integers(1, 1000, shape)

    def of(self, operand: Operand) -> np.ndarray:
        if isinstance(operand, Constant):
            return np.array(operand.number)
        if operand not in self.known:
            self.known[operand] = self._computed(operand)  # type: ignore[arg-type]
        return self.known[operand]

    def _computed(self, value: Value) -> np.ndarray:
        made = self.indices.definitions.get(value)
        if made is None:  # of a loop: its counter, or a number that it carries, which is where its form says
            form = self.indices.form(value)
            carried = form is not None and value not in {leaf.value for leaf in form.leaves}
            return self.form(form) if form is not None and carried else self.drawn()
        if made.kind == "arange":
            return np.arange(int(self.of(made.operands[0])), int(self.of(made.operands[1])))
        if made.kind in BINARY:
            return np.asarray(BINARY[made.kind](*map(self.of, made.operands)))
        if made.kind == "full":
            return self.of(made.operands[1])
        if made.kind == "neg":
            return -self.of(made.operands[0])
        if made.kind == "expand_dims":
            return np.expand_dims(self.of(made.operands[0]), int(self.of(made.operands[1])))
        if made.kind in ("scalar", "broadcast_to", "multiple_of", "max_contiguous"):
            return self.of(made.operands[0])
        shape = self.indices.shapes.of(value) or ()
        return self.drawn(tuple(int(self.of(extent)) for extent in shape))

    def form(self, form: Form) -> np.ndarray:
        total = np.array(0)
        for product, coefficient in form.terms:
            term = np.array(coefficient)
            for factor in product:
                term = term * self._factor(factor)
            total = total + term
        return total

    def _factor(self, factor: Factor) -> np.ndarray:
        if isinstance(factor, Leaf):
            array = self.of(factor.value)
            if not factor.dims:
                return array
            shape = [1] * -min(factor.dims)
            for size, dim in zip(array.shape, factor.dims, strict=True):
                shape[dim] = size
            return array.reshape(shape)
        return np.asarray(BINARY[factor.kind](self.form(factor.form), self.form(factor.divisor)))


def whole_kernels() -> list[Function]:
    found = []
    for module in corpus().values():
        functions = kernel_functions(module)
        found += [inlined(function, functions) for function in functions.values() if function.entry]
    return found


def read(body: str) -> Function:
    return parse_function(f"@triton.jit\ndef k(x, n, B: tl.constexpr):\n{textwrap.indent(body, '    ')}")


def test_forms_are_what_kernels_compute() -> None:
    compared = 0
    for seed, function in enumerate(whole_kernels()):
        indices = Indices(function)
        numbers = Numbers(indices, function, seed)
        for value in indices.kinds.integers & indices.definitions.keys():
            form = indices.form(value)
            inside = [indices.definitions.get(leaf.value) for leaf in form.leaves] if form else []
            if form is not None and not any(one is not None and one.kind in ("for", "if") for one in inside):
                mine, theirs = np.broadcast_arrays(numbers.form(form), numbers.of(value))
                assert (mine == theirs).all(), (function.symbol, str(form))
                compared += 1
    assert compared > 1000


def test_nearly_every_access_of_the_corpus_is_understood() -> None:
    accesses = [access for function in whole_kernels() for access in Accesses(function).all]
    unknown = [access for access in accesses if access.index is None]
    assert len(accesses) > 500 and len(unknown) <= 0.02 * len(accesses)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("tl.store(x + (n * i + i * 3), 0)", "tl.store(x + i * (3 + n), 0)"),
        ("tl.store(x + i[:, None] * n + i[None, :], 0)", "tl.store(i[None, :] + (x + (n * i)[:, None]), 0)"),
        (
            "for j in range(0, n, B):\n    tl.store(x + j + i, 0)",
            "p = x + i\nfor j in range(0, n, B):\n    tl.store(p, 0)\n    p += B",
        ),
    ],
)
def test_one_index_has_one_form(one: str, other: str) -> None:
    texts = []
    for body in (one, other):
        function = read(f"i = tl.arange(0, B)\n{body}")
        (access,) = Accesses(function).all
        names = {made.operands[1]: "B" for made in function.walk() if made.kind == "arange"}
        assert access.base == function.argument("x") and names and access.index is not None
        leaves = {leaf: (leaf.value in function.body.arguments, leaf.dims) for leaf in access.index.leaves}
        texts.append(sorted((sorted(leaves.get(f, ()) for f in product), c) for product, c in access.index.terms))  # type: ignore[arg-type,type-var]
    assert texts[0] == texts[1]


def test_masks_are_ranges() -> None:
    function = read(
        "i = tl.program_id(0) * B + tl.arange(0, B)\ntl.store(x + i, 0, mask=(i >= 2) & (n > i) & (x != i))"
    )
    accesses = Accesses(function)
    (access,) = accesses.all
    (found,) = accesses.ranges(access)
    assert len(access.conditions) == 3 and access.index == found.index
    assert found.lower == Form.number(2)
    assert found.upper == Form.of({(Leaf(function.argument("n")),): 1})


def test_axes_of_a_reduction() -> None:
    function = read(
        "row = tl.program_id(0) * B + tl.arange(0, B)[:, None]\nacc = tl.zeros([B, 64], tl.float32)\n"
        "for start in range(0, 300, 64):\n    col = start + tl.arange(0, 64)[None, :]\n"
        "    acc += tl.load(x + row * 300 + col, mask=(row < n) & (col < 300), other=0.0)\n"
        "tl.store(x + row, tl.sum(acc, 1)[:, None], mask=row < n)"
    )
    axes = Axes(function)
    rows, columns = sorted(axes.all, key=lambda axis: axis.placing, reverse=True)
    assert (rows.placing, rows.reduced, rows.block) == ("parallel", False, function.argument("B"))
    assert (columns.placing, columns.reduced, columns.block) == ("looped", True, Constant("64"))
    assert columns.extent == Form.number(300) and rows.extent == Form.of({(Leaf(function.argument("n")),): 1})
    assert [one.axis for one in axes.grid] == [0] and len(axes.loops) == 1
    (load,) = (one for one in function.walk() if one.kind == "load")
    assert axes.along(load.result, -1) == {columns.lanes} and axes.along(load.result, -2) == {rows.lanes}


TILE = """
@triton.jit
def tile(x, out, rows, columns, stride, step, BLOCK: tl.constexpr):
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = (row[:, None] < rows) & (column[None, :] < columns)
    value = tl.load(x + row[:, None] * stride + column[None, :] * step, mask=inside)
    tl.store(out + step + stride, tl.max(value))
"""


def test_strides_that_launches_pass_are_numbers() -> None:
    function = parse_function(TILE)
    numbers = {"rows": 7, "columns": 300, "stride": 304, "step": 1}
    spec = TensorSpec("x", "f16", (7, 300), (304, 1))
    launch = KernelLaunch((1, 3, 1), {"x": spec, "out": TensorSpec.contiguous("out", "f16", (306,)), **numbers})
    longer = KernelLaunch((1, 3, 1), {**launch.arguments, "x": TensorSpec("y", "f16", (9, 300), (304, 1)), "rows": 9})
    one, both = Launches((launch,)), Launches((launch, longer))
    row, column = (axis.index for axis in Axes(function, one).all)
    load, store = Axes(function, one).accesses.all
    assert load.index is not None
    assert load.index.coefficient(_lanes(row)) == Form.number(304)
    assert load.index.coefficient(_lanes(column)) == Form.number(1)
    assert (store.base, store.index) == (function.argument("out"), Form.number(305))
    assert [axis.extent for axis in Axes(function, one).all] == [Form.number(7), Form.number(300)]
    open_, known = (axis.extent for axis in Axes(function, both).all)
    assert open_ == Form.of({(Leaf(function.argument("rows")),): 1}) and known == Form.number(300)
    assert (both.dtype("x"), both.extent("x"), both.argument("x")) == ("f16", 8 * 304 + 300, None)
    assert (one.argument("x"), one.programs(1), both.number("rows")) == (spec, 3, None)


def _lanes(form: Form) -> Leaf:
    (leaf,) = (leaf for leaf in form.leaves if leaf.dims)
    return leaf
