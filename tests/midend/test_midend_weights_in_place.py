"""Templates of convolutions read weights where they lie, if they read them well there; then they are one launch."""

import ast

import pytest
from programs import assert_right, lowered

from kernelwright.ir.parser import parse_module
from kernelwright.ir.passes import Context
from kernelwright.ir.printer import print_module
from kernelwright.midend.templates.channels_last_conv import ChannelsLastConv
from kernelwright.midend.templates.implicit_gemm import ImplicitGemm
from kernelwright.midend.templates.transposed_conv import TransposedConv

H200 = Context(target="h200")


def last(shape):
    """The order of axes in memory, outermost first, in which the second one comes last."""
    return (0, *range(2, len(shape)), 1)


def lying(shape, order):
    """A tensor whose axes lie so in memory, for `lowered`."""
    back = ", ".join(str(order.index(axis)) for axis in range(len(shape)))
    return tuple(shape[axis] for axis in order), f".permute({back})"


def program(x, weight, options, dtype="float32", **lowering):
    """A convolution, transposed where options say so, of tensors whose channels lie last, unless they are `lying`."""
    name = f"{'conv_transpose' if options.startswith('T') else 'conv'}{len(x) - 2}d"
    x, weight = (one if isinstance(one[-1], str) else lying(one, last(one)) for one in (x, weight))
    forward = f"F.{name}(a, b, None{options.removeprefix('T')})"
    return lowered(forward, [x, weight], "pass", dtype, every_conv=True, **lowering)


def with_weight(module, shape, order):
    """The module, whose weight's channels lie last, for a weight whose axes lie in another order."""
    spec = next(one for one in module.reference.inputs if one.name == "b")
    (before, old), (after, new) = lying(shape, last(shape)), lying(shape, order)
    steps, step = [0] * len(shape), 1
    for axis in reversed(order):
        steps[axis], step = step, step * shape[axis]
    lies = "" if order == tuple(sorted(order)) else f"@{steps}"
    texts = [(f"torch.randn({before}", f"torch.randn({after}"), (old, new), (f"@{list(spec.strides)}", lies)]
    text = print_module(module)
    for one, other in texts:
        assert one in text
        text = other.join(text.rsplit(one, 1)) if one == old else text.replace(one, other)
    return parse_module(text)


def steps(module):
    """What host code does before it returns, but for making the result."""
    function = ast.parse(module.launcher.source).body[-1]
    return [one for one in map(ast.unparse, function.body[:-1]) if "torch.empty_strided" not in one]


def assert_one_launch(module):
    """A launch on inputs and the result as they are."""
    (launch,) = steps(module)
    assert "(a, b, out, **conv" in launch
    assert_right(module, seeds=(0,))


def assert_packed(module):
    """The same on a copy of the weight."""
    copy, launch = steps(module)
    assert ".contiguous()" in copy and "_weight, out, **conv" in launch
    assert_right(module, seeds=(0,))


LINES = {
    "1d": ((2, 16, 33), (6, 16, 3), ", 2, 1"),
    "2d": ((2, 16, 9, 11), (20, 16, 3, 3), ", 1, 1"),
    "2d few channels": ((2, 3, 15, 17), (9, 3, 7, 5), ", 2, 3"),
    "2d patches": ((2, 3, 16, 12), (18, 3, 4, 4), ", 4"),
    "2d pointwise": ((2, 18, 5, 7), (33, 18, 1, 1), ""),
    "2d one channel": ((2, 1, 9, 8), (6, 1, 3, 3), ", 1, 1"),
    "2d dilated": ((1, 16, 9, 9), (6, 16, 3, 1), ", 2, (2, 0), (2, 3)"),
    "3d": ((1, 8, 5, 6, 7), (6, 8, 3, 3, 2), ", (1, 2, 1), (2, 0, 1)"),
}


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("case", LINES.values(), ids=LINES)
def test_lines_of_taps(case, dtype):
    assert_one_launch(ChannelsLastConv().run(program(*case, dtype), H200))


@pytest.mark.parametrize(
    ("order", "lines", "columns"),
    [
        ((0, 1, 2, 3), False, False),  # contiguous
        ((0, 2, 1, 3), False, False),
        ((2, 0, 3, 1), True, True),
        ((2, 3, 0, 1), False, False),
        ((2, 3, 1, 0), False, True),
    ],
)
def test_weights_in_other_orders(order, lines, columns):
    shape = (6, 16, 3, 2)
    for dtype, in_place in (("float32", lines), ("bfloat16", columns)):
        module = with_weight(program((1, 16, 9, 8), shape, ", 1, 1", dtype), shape, order)
        (assert_one_launch if in_place else assert_packed)(ChannelsLastConv().run(module, H200))


TRANSPOSED = {
    "1d": ((2, 16, 9), (16, 6, 5), "T, 2", ()),
    "2d": ((1, 16, 5, 6), (16, 6, 3, 2), "T, 1, 1", ()),
    "2d phases": ((1, 16, 5, 6), (16, 20, 4, 4), "T, 2, 1, 1", (True,)),
    "2d blocks": ((1, 20, 5, 6), (20, 6, 2, 2), "T, 2", (True,)),
    "2d rows": ((1, 20, 5, 6), (20, 6, 4, 2), "T, (2, 1), (1, 0)", (True,)),
    "2d few channels": ((1, 3, 5, 6), (3, 6, 3, 3), "T, 2", ()),
}


@pytest.mark.parametrize("case", TRANSPOSED.values(), ids=TRANSPOSED)
def test_transposed(case):
    *sizes, forms = case
    _, weight, _ = sizes
    for wide in (False, *forms):
        rewrite = ChannelsLastConv(wide)
        # The output channels lie last.
        assert_one_launch(rewrite.run(program(*sizes, "bfloat16"), H200))
        single = program(*sizes)
        assert_packed(rewrite.run(single, H200))
        lines = with_weight(single, weight, (1, *range(2, len(weight)), 0))
        # In the wide form the taps of a phase are apart.
        apart = wide and case == TRANSPOSED["2d phases"]
        (assert_packed if apart else assert_one_launch)(rewrite.run(lines, H200))


GATHERED = {
    "1d": ((2, 18, 19), (20, 18, 3), ", 2, 1"),
    "2d": ((1, 17, 9, 7), (33, 17, 3, 2), ", (1, 2), 1, (2, 1)"),
    "2d groups": ((1, 36, 6, 5), (34, 18, 3, 3), ", 1, 1, 1, 2"),
    "2d few channels": ((1, 3, 9, 8), (20, 3, 5, 4), ", 2"),
    "3d": ((1, 16, 4, 5, 4), (16, 16, 2, 3, 1), ", 1, (1, 0, 0)"),
}


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("case", GATHERED.values(), ids=GATHERED)
def test_gathered(case, dtype):
    x, weight, options = case
    forward = f"F.conv{len(x) - 2}d(a, b, None{options})"
    contiguous = lowered(forward, [x, weight], "pass", dtype)
    assert_packed(ImplicitGemm("dot").run(contiguous, H200))
    assert_one_launch(ImplicitGemm("dot", pack=False).run(contiguous, H200))
    assert_one_launch(ImplicitGemm("dot").run(program(*case, dtype), H200))


@pytest.mark.parametrize("pack", [False, True])
def test_gathered_weights_that_are_no_lines_are_packed(pack):
    shape = (20, 16, 3, 2)
    module = program((1, 16, 9, 8), shape, "")
    assert_packed(ImplicitGemm("dot", pack).run(with_weight(module, shape, (0, 2, 1, 3)), H200))
    assert_one_launch(ImplicitGemm("dot", pack).run(with_weight(module, shape, (2, 3, 1, 0)), H200))


def test_gathered_transposed():
    x, weight = (1, 16, 5, 6), (16, 20, 3, 2)
    assert_one_launch(TransposedConv("dot").run(program(x, weight, "T, 2"), H200))
    contiguous = lowered("F.conv_transpose2d(a, b, None, 2)", [x, weight])
    assert_packed(TransposedConv("dot").run(contiguous, H200))
