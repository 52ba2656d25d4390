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


def heir(body: str) -> str:
    """A program whose entry is another class's heir."""
    above = f"""class Base(nn.Module):
    FACTOR = 2

    def __init__(self, width):
        super(Base, self).__init__()
        self.width = width

    def doubled(self, x):
        y = torch.empty_like(x)
        double[(16,)](x, y, self.width, B=64)
        return y

    def forward(self, x):
        {body}
        return y


"""
    entry = "class ModelNew(Base):\n    def __init__(self):\n        super().__init__(64)\n"
    return program().partition("class ModelNew")[0] + above + entry


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


_RULE = "@triton.heuristics({'HALF': lambda args: args['x_ptr'].dtype == torch.float16})\n@triton.jit"
_PRODUCT = "CONFIGS = [triton.Config({'B': b}, num_warps=w) for b, w in {}product([32, 64], [2, 4])]"
_TUNED = "@triton.autotune(configs=CONFIGS, key=['n'])\n@triton.jit"
_SCRIPT = (
    "def bench():\n    timed(3)\n    print(get_inputs())\n\n\ndef timed(n):\n    return torch.randn(n).sum()\n\n\n"
)
_SIZED = "def size(n):\n    return max(16, n)\n\n"
_TUNED_CALL = "double[(16,)](x, y, 64)"
_TABLES = """    def __init__(self):
        super().__init__()
        f = 1.0 / (1e4 ** (torch.arange(0, 8, 2).float() / 8))
        self.register_buffer('cos', torch.outer(torch.arange(16), f).cos())
        self.a_log = nn.Parameter(torch.log(torch.arange(1, 9).float()).repeat(4, 1))

    def forward"""
SPELLINGS |= {
    "strides of an input": (program(call="double[(16,)](x, y, *x.stride())"), "x.stride(0), x.stride(1)"),
    "strides of a tensor like another": (
        program(call="double[(16,)](y, *y.stride(), 64)"),
        "double[(16,)](y, y.stride(0), y.stride(1), 64)",
    ),
    "strides of a tensor of sizes": (
        program(first="z = x.new_empty((4, 4, 2))", call="double[(16,)](z, *z.stride())"),
        "z.stride(0), z.stride(1), z.stride(2)",
    ),
    "a decorator for autocast": (
        program(
            above=APPLIED.replace("@staticmethod\n", '@staticmethod\n    @torch.amp.custom_fwd(device_type="cuda")\n'),
            call="y = Double.apply(x)",
        ),
        "Double.apply(x)",
    ),
    "decorators for autocast by name": (
        program(
            top="from torch.amp import custom_bwd, custom_fwd",
            above=APPLIED.replace("@staticmethod\n    def f", "@staticmethod\n    @custom_fwd\n    def f").replace(
                "@staticmethod\n    def b", "@staticmethod\n    @custom_bwd\n    def b"
            ),
            call="y = Double.apply(x)",
        ),
        "Double.apply(x)",
    ),
    "a context set up apart": (
        program(
            above=APPLIED.replace("(ctx, x)", "(x)").replace(
                "    @staticmethod\n    def b",
                "    @staticmethod\n    def setup_context(ctx, inputs, output):\n        ctx.n = len(inputs)\n\n"
                "    @staticmethod\n    def b",
            ),
            call="y = Double.apply(x)",
        ),
        "def forward(ctx, x)",
    ),
    "a cache of sizes": (
        program(
            top="import functools",
            above="@functools.lru_cache(maxsize=None)\n" + _SIZED,
            call="double[(16,)](x, y, 64, B=size(64))",
        ),
        "def size(n)",
    ),
    "a cache by name": (
        program(
            top="from functools import cache",
            above="@cache\n" + _SIZED,
            call="double[(16,)](x, y, 64, B=size(64))",
        ),
        "def size(n)",
    ),
    "what the script alone uses": (
        program(above=_SCRIPT) + "\n\nif __name__ == '__main__':\n    bench()\n",
        "double[(16,)]",
    ),
    "a product of options": (
        program(top="import itertools\n\n" + _PRODUCT.replace("{}", "itertools."), call=_TUNED_CALL).replace(
            "@triton.jit", _TUNED
        ),
        "for b in [32, 64] for w in [2, 4]",
    ),
    "a product by name": (
        program(top="from itertools import product\n\n" + _PRODUCT.replace("{}", ""), call=_TUNED_CALL).replace(
            "@triton.jit", _TUNED
        ),
        "for b in [32, 64] for w in [2, 4]",
    ),
    "a rule about a dtype": (
        program().replace("@triton.jit", _RULE).replace("n, B: tl", "n, HALF: tl.constexpr, B: tl"),
        "args['x_ptr'].dtype == torch.float16",
    ),
    "an heir": (heir("y = self.doubled(x)"), "self.build_base(64)"),
    "an heir that overrides": (
        heir("y = torch.relu(x)") + "\n    def forward(self, x):\n        return self.doubled(x)\n",
        "return self.doubled(x)",
    ),
    "an heir of nothing but a name": (
        heir("y = self.doubled(x)").partition("    def __init__(self):")[0] + "    pass\n",
        "self.width = width",
    ),
    "tables of __init__": (program().replace("    def forward", _TABLES), "torch.outer(torch.arange(16), f).cos()"),
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
    "strides of an unknown number": program(first="z = x.view(x.shape)", call="double[(16,)](z, y, *z.stride())"),
    "strides of one of two sizes": program(
        first="z = torch.empty((3,))\nif x.shape[0] > 3:\n    z = torch.empty((3, 4))",
        call="double[(16,)](z, y, *z.stride())",
    ),
    "strides of sizes that are spread out": program(
        first="z = torch.empty((*x.shape, 2))", call="double[(16,)](z, y, *z.stride())"
    ),
    "a decorator that casts inputs": program(
        above=APPLIED.replace(
            "@staticmethod\n    def f", "@staticmethod\n    @torch.amp.custom_fwd(cast_inputs=torch.half)\n    def f"
        ),
        call="y = Double.apply(x)",
    ),
    "a decorator of its own": program(
        above="def settings(f):\n    return f\n\n\n@settings\ndef size(n):\n    return n\n\n",
        call="double[(16,)](x, y, 64, B=size(64))",
    ),
    "what the script and the program use": program(
        above="def helped(x):\n    return torch.relu(x)\n\n\ndef bench():\n    helped(3)\n\n",
        call="y = helped(x)",
    )
    + "\n\nif __name__ == '__main__':\n    bench()\n",
    "what nothing uses": program(above="def helped(x):\n    return torch.relu(x)\n\n"),
    "a base that computes": heir("y = torch.relu(x)"),
    "a base of two classes": heir("y = self.doubled(x)") + "\n\nclass Other(Base):\n    pass\n",
    "a base that is no module": heir("y = self.doubled(x)").replace("nn.Module", "torch.autograd.Function", 1),
    "tables that forward computes": program(first="z = torch.outer(x, x)"),
    "a rule that computes": program().replace(
        "@triton.jit", "@triton.heuristics({'C': lambda args: args['x_ptr'].sum()})\n@triton.jit"
    ),
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
