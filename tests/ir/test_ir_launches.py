"""Launches and the entry are checked against kernels and reference, and what is odd about kernels is said."""

import pytest

from kernelwright.ir.errors import Diagnostic, DialectError
from kernelwright.ir.parser import parse_module
from kernelwright.ir.printer import print_module
from kernelwright.ir.values import KernelModule, Reference, ScalarSpec, TensorSpec
from kernelwright.ir.verifier import launched, verify

SOURCE = """import numpy as np
import torch


class Block(torch.nn.Module):
    def forward(self, x):
        return x * np.pi


class Model(torch.nn.Module):
    def forward(self, x, s):
        return Block()(x) * s
"""
X = TensorSpec.contiguous("x", "f32", (16, 64))
REFERENCE = Reference(SOURCE, "Model", (X, ScalarSpec("s", 2.0)), (), (X,))

KERNEL = """import torch
import torch.nn as nn
import triton
import triton.language as tl

@triton.jit
def scale(x_ptr, out_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr = False):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + index, tl.load(x_ptr + index, index < n) * 2, index < n)

"""


def read(text: str) -> KernelModule:
    return parse_module(text, reference=REFERENCE)


def complaints(text: str) -> tuple[Diagnostic, ...]:
    with pytest.raises(DialectError) as caught:
        read(text)
    return caught.value.diagnostics


def host(*lines: str) -> str:
    """A file whose forward has these lines, the first of them on line 12."""
    return KERNEL + "def forward(x):\n" + "".join(f"    {line}\n" for line in (*lines, "return x"))


def kernel(*lines: str, above: str = "") -> str:
    """A file with a second kernel of these lines, the first of them on line 13 and on."""
    body = "".join(f"    {line}\n" for line in lines)
    return KERNEL + f"{above}@triton.jit\ndef k(p, n, F: tl.constexpr):\n{body}\n\ndef forward(x):\n    return x\n"


#: (text, line, part of the message, part of the hint)
REFUSED = [
    (host("scale[(16,)](x, x, 1024)"), 12, "the launch of @scale lacks `BLOCK`", "**scale_meta"),
    (host("scale[(16,)](x, x, 1024, BLOCK=64, TILE=3)"), 12, "@scale has no parameter `TILE`", "out_ptr, n, BLOCK"),
    (host("scale[(16,)](x, x, 1, 64, True, 5)"), 12, "@scale takes 5 arguments, 6 are given", "x_ptr"),
    (host("scale[(16,)](x, x, 1, 64, BLOCK=64)"), 12, "@scale is given `BLOCK` twice", "once"),
    (host("scale[(16,)](x, x, 1, BLOCK=64, **scale_meta)") + '\nscale_meta = {"BLOCK": 4}\n', 12, "twice", "once"),
    (
        host("scale[(16,)](x, x, 1, **scale_meta)") + '\nscale_meta = {"num_warps": 4}\n',
        12,
        "lacks `BLOCK`",
        "scale_meta",
    ),
    (host("scale[(16,)](*[x, x, 1, 64])"), 12, "starred arguments", "write every argument"),
    (host("scale[(16,)](x, x, 1, 64)") + '\nscale_meta = {"TILE": 4}\n', 15, "`TILE` is no parameter", "num_warps"),
    (KERNEL + "def forward(y):\n    return y\n", 11, "a parameter that the reference lacks", "x, s"),
    (KERNEL + 'def forward(x: "f32[3]"):\n    return x\n', 11, "a parameter's type differs", "f32[16, 64]"),
    (KERNEL + "def forward(x):\n    pass\n", 11, "the entry returns nothing", "return the output"),
    (host("y = math.sqrt(x)"), 12, "math.sqrt computes on a tensor", "kernel"),
    (host("y = x[[0, 1]]"), 12, "arithmetic on tensors", "kernel"),
    (host("double = lambda t: t * 2", "y = double(x)"), 13, "a tensor is given to a local function", "top level"),
    (host('assert x.ndim == 2, f"{x}"'), 12, "a tensor's content", "shapes"),
    (kernel("p[0] = n"), 13, "a part of a value is assigned", "tl.store"),
    (kernel("tl.static_assert(F, f'{n}')"), 13, "an f-string in a kernel", "plain string"),
    (kernel("tl.store(p, SIZE)", above="SIZE = 4\n"), 14, "a constant that Triton does not see", "SIZE = tl.constexpr"),
    (kernel("tl.store(p, SIZE)", above="SIZE: tl.constexpr = 4\n"), 14, "a constant that Triton", "= tl.constexpr"),
    (kernel("y = n", "z = y(3)"), 14, "a local is called", "by name"),
    (host("b = Block()", "y = b(x)") + "\n" + SOURCE, 12, "a name that host code does not know", ""),
]


@pytest.mark.parametrize(("text", "line", "message", "hint"), REFUSED)
def test_refused(text: str, line: int, message: str, hint: str) -> None:
    found = complaints(text)
    assert any(d.line == line and message in d.message and hint in d.hint for d in found), list(map(str, found))


ACCEPTED = {
    "default": host("scale[(16,)](x, x, 1024, BLOCK=64)"),
    "options": host('options = {"BLOCK": 64, "num_warps": 2}', "scale[(16,)](x, x, n=16, **options)"),
    "meta": host("scale[(16,)](x, x, 1, **scale_meta, EVEN=True)") + '\nscale_meta = {"BLOCK": 4, "num_warps": 1}\n',
    "cooperative": host("scale[(16,)](x, x, 1, 64, launch_cooperative_grid=True, num_stages=2)"),
    "autotune": KERNEL
    + """
CONFIGS = [triton.Config({"BLOCK": b}, num_warps=w) for b in (64, 128) for w in (2, 4)]
EPS = tl.constexpr(1e-5)
TILE: tl.constexpr = tl.constexpr(16)
KIND = tl.float32

@triton.autotune(configs=CONFIGS, key=["n"])
@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def tuned(x_ptr, out_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + index, (tl.load(x_ptr + index, index < n) + EPS + TILE).to(KIND), index < n)

def forward(x):
    out = torch.empty_like(x)
    tuned[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, out, x.numel())
    return out
""",
    "function argument": KERNEL
    + """
@triton.jit
def twice(x):
    return x * 2

@triton.jit
def apply(x_ptr, FN: tl.constexpr):
    tl.store(x_ptr, FN(tl.load(x_ptr)))

def forward(x):
    out = x.clone()
    apply[(1,)](out, twice)
    return out
""",
    "repeats the reference": SOURCE + KERNEL + "def forward(x):\n    scale[(16,)](x, x, 1, 64)\n    return x\n",
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_accepted(case: str) -> None:
    module = read(ACCEPTED[case])
    assert verify(module) == () and launched(module)
    assert parse_module(print_module(module)) == module


def test_a_repeated_class_is_not_kept() -> None:
    module = read(ACCEPTED["repeats the reference"])
    assert module.launcher is not None and "Block" not in module.launcher.source
