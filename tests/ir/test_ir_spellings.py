"""Other spellings of what the dialect has are put into its own words, where they can mean nothing else."""

import pytest

from kernelwright.ir.errors import DialectError
from kernelwright.ir.parser import parse_module
from kernelwright.ir.printer import print_module
from kernelwright.ir.values import KernelModule, Reference, TensorSpec

X = TensorSpec.contiguous("x", "f32", (16, 64))
REFERENCE = Reference("class Model: ...", "Model", (X,), (), (X,))


def program(
    *, top: str = "", kernel: str = "x", above: str = "", first: str = "", call: str = "double[(16,)](x, y, 64, B=64)"
) -> str:
    lines = "".join(f"        {line}\n" for line in first.splitlines())
    return f"""import torch
import torch.nn as nn
import triton
import triton.language as tl
{top}


@triton.jit
def double(x_ptr, y_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(x_ptr + i)
    tl.store(y_ptr + i, {kernel} * 2)

{above}
class ModelNew(nn.Module):
    def forward(self, x):
{lines}        y = torch.empty_like(x)
        {call}
        return y
"""


def parsed(text: str) -> KernelModule:
    module = parse_module(text, reference=REFERENCE, name="spelled")
    assert parse_module(print_module(module)) == module
    return module


def operator(decorator: str, more: str = "", wrapped: str = "double") -> str:
    return (
        f"{decorator}\ndef doubled(x: torch.Tensor) -> torch.Tensor:\n    y = torch.empty_like(x)\n"
        f"    {wrapped}[(16,)](x, y, 64, B=64)\n    return y\n\n{more}\n"
    )


FAKE = "@doubled.register_fake\ndef _(x):\n    return torch.empty_like(x) + np2(3)\n"
CALLED = "y = doubled(x)"
APPLIED = (
    "class Double(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
    "        y = torch.empty_like(x)\n        double[(16,)](x, y, 64, B=64)\n        return y\n\n"
    "    @staticmethod\n    def backward(ctx, dy):\n        return dy * 2\n\n\n"
)
LIBDEVICE = "from triton.language.extra.libdevice import "
#: name -> (text, what the program then holds)
SPELLINGS = {
    "a function of libdevice": (program(top=LIBDEVICE + "tanh", kernel="tanh(x)"), "libdevice.tanh(x) * 2"),
    "two, one renamed": (
        program(top=LIBDEVICE + "tanh as th, rsqrt", kernel="th(rsqrt(x))"),
        "libdevice.tanh(libdevice.rsqrt(x)) * 2",
    ),
    "of cuda": (
        program(top="from triton.language.extra.cuda.libdevice import (\n    tanh,\n)", kernel="tanh(x)"),
        "libdevice.tanh(x) * 2",
    ),
    "a name for a function of triton": (
        program(first="np2 = triton.next_power_of_2", call="double[(16,)](x, y, 64, B=np2(64))"),
        "B=triton.next_power_of_2(64)",
    ),
    "the same for the whole file": (
        program(top="cdiv = triton.cdiv", call="double[(cdiv(x.numel(), 64),)](x, y, 64, B=64)"),
        "double[(triton.cdiv(x.numel(), 64),)]",
    ),
    "a name for apply": (
        program(above=APPLIED + "doubled = Double.apply\n\n", call=CALLED),
        "y = Double.apply(x)",
    ),
    "a custom operator": (
        program(above=operator('@torch.library.custom_op("my::doubled", mutates_args=())', FAKE), call=CALLED),
        "\ndef doubled(x: torch.Tensor)",
    ),
    "one of triton": (
        program(
            top="from torch.library import triton_op, wrap_triton",
            above=operator(
                '@triton_op(\n    "my::doubled",\n    mutates_args={},\n)',
                "doubled.register_autograd(None)",
                "wrap_triton(double)",
            ),
            call=CALLED,
        ),
        "    double[(16,)](x, y, 64, B=64)",
    ),
    "tensors through map": (
        program(first="x, z = map(lambda t: t.contiguous(), (x, x))"),
        "map(lambda t: t.contiguous(), (x, x))",
    ),
    "the length of a number": (program(first="size = 64 .bit_length()\nn = x.shape[-1].bit_length()"), "bit_length"),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_a_spelling_is_understood(name: str) -> None:
    text, held = SPELLINGS[name]
    assert held in print_module(parsed(text))


def test_strides_of_a_tensor_are_written_out() -> None:
    text = program(first="rows, columns = x.shape", call="double[(16,)](x, y, *x.stride())")
    assert "double[(16,)](x, y, x.stride(0), x.stride(1))" in print_module(parsed(text))


def test_lines_keep_their_numbers() -> None:
    text = program(
        above=operator('@torch.library.custom_op(\n    "my::doubled",\n    mutates_args=(),\n)', FAKE), call=CALLED
    ).replace("        return y\n", "        return y.sum()\n")
    with pytest.raises(DialectError) as error:
        parsed(text)
    (found,) = error.value.diagnostics
    assert text.splitlines()[found.line - 1] == "        return y.sum()"


REFUSED = {
    "a name bound twice": program(
        first="np2 = triton.next_power_of_2\nnp2 = triton.cdiv", call="double[(16,)](x, y, 64, B=np2(64))"
    ),
    "a name that is a parameter elsewhere": program(
        top="cdiv = triton.cdiv",
        above="def other(cdiv):\n    return cdiv(3, 2)\n\n",
        call="double[(cdiv(64, 4),)](x, y, 64, B=other(4))",
    ),
    "a name in an f-string": program(
        first="np2 = triton.next_power_of_2\nassert x.shape[0] == 16, f'not {np2(16)}'",
        call="double[(16,)](x, y, 64, B=np2(64))",
    ),
    "a name of torch's": program(first="total = torch.sum\nz = total(x)"),
    "a function that libdevice lacks": program(top=LIBDEVICE + "clock64", kernel="clock64(x)"),
    "a libdevice of its own": program(
        top=LIBDEVICE + "tanh", above="def libdevice(x):\n    return x\n\n", kernel="tanh(x)"
    ),
    "another kernel for a device": program(
        above=operator(
            '@torch.library.custom_op("my::doubled", mutates_args=())',
            '@doubled.register_kernel("cuda")\ndef other(x):\n    return torch.relu(x)\n',
        ),
        call=CALLED,
    ),
    "an operator that computes": program(
        above=operator('@torch.library.custom_op("my::doubled", mutates_args=())').replace("return y", "return y * 2"),
        call=CALLED,
    ),
    "strides of an unknown number": program(call="double[(16,)](x, y, *x.stride())"),
    "strides of another tensor of the name": program(
        first="rows, columns = x.shape\nx = x.view(-1)", call="double[(16,)](x, y, *x.stride())"
    ),
    "a map that computes": program(first="x, z = map(lambda t: t * 2, (x, x))"),
    "a map of a function": program(first="x, z = map(torch.relu, (x, x))"),
    "arithmetic on what map gives": program(first="a, z = map(lambda t: t.contiguous(), (x, x))\nb = a + z"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_might_mean_something_else_is_refused(name: str) -> None:
    with pytest.raises(DialectError):
        parsed(REFUSED[name])
