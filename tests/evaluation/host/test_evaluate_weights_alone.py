"""Host code may compute with weights and constants alone; what inputs have a part in is computed by kernels."""

import textwrap
from collections.abc import Iterator

import pytest

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source
from kernelwright.ir.values import Reference

RUNGS = (Rung.PARSE, Rung.INTERPRET)
HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"


@pytest.fixture(scope="module")
def anything() -> Iterator[LocalEvaluator]:
    with LocalEvaluator(seeds=1, timeout_s=120, memory_gb=2, use_gpu=False, dialect=False) as evaluator:
        yield evaluator


def written(name: str, init: str, names: str, body: str) -> str:
    """A module's text."""
    return (
        f"class {name}(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        f"{textwrap.indent(init, ' ' * 8)}\n\n    def forward(self, {names}):\n{textwrap.indent(body, ' ' * 8)}\n"
    )


def reference(init: str, body: str, names: str = "x", inputs: str = "torch.randn(6, 16)") -> Reference:
    text = HEAD + "\n\n" + written("Model", init, names, body)
    given = f"\n\ndef get_inputs():\n    return [{inputs}]\n\n\ndef get_init_inputs():\n    return []\n"
    return import_source(text + given, "weights", shrink="never").reference


KERNELS = """
import triton
import triton.language as tl


@triton.jit
def scaled(x_ptr, a_ptr, b_ptr, y_ptr, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    a = tl.load(a_ptr + tl.arange(0, N))
    tl.store(y_ptr + i, tl.load(x_ptr + i) * a + tl.load(b_ptr + tl.arange(0, N)))


@triton.jit
def product(x_ptr, w_ptr, s_ptr, y_ptr, N: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, N)
    w = tl.load(w_ptr + i[:, None] * N + i[None, :]).to(tl.float32) * tl.load(s_ptr + i)[:, None]
    tl.store(y_ptr + row * N + i, tl.sum(w * tl.load(x_ptr + row * N + i)[None, :], 1))


@triton.jit
def copied(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(y_ptr + i, tl.load(x_ptr + i))


"""
PARAMETERS = "self.w = nn.Parameter(torch.randn(16, 16))\nself.v = nn.Parameter(torch.randn(16, 16))"
SCALE = "self.a = nn.Parameter(torch.randn(16))\nself.b = nn.Parameter(torch.randn(16))"
ONES = "ones = torch.ones(16, device=x.device)\n"
LAUNCH = "y = torch.empty_like(x)\nproduct[(x.shape[0],)](x, {w}, {s}, y, N=16)\nreturn y"
AFFINE = "y = torch.empty_like(x)\nscaled[(x.shape[0],)](x, {a}, {b}, y, N=16)\nreturn y"
KEPT = """w, v = self.w, self.v
now = (w._version, w.data_ptr(), v._version, v.data_ptr())
if self.kept is None or self.kept[0] != now:
"""
FOLDED = "bn = self.bn\nscale = bn.weight * torch.rsqrt(bn.running_var + bn.eps)\n"
PRODUCT = reference(PARAMETERS, "return x @ (self.v @ self.w).T")
LINEAR = reference(PARAMETERS, "return x @ (self.w * self.v.exp()).T")
ROTARY = reference(
    "self.register_buffer('speeds', 10.0 ** -torch.linspace(0, 1, 16))",
    "angle = torch.outer(torch.arange(x.shape[0], device=x.device), self.speeds)\nreturn x * angle.cos() + angle.sin()",
)
COUNTED = reference(
    SCALE + "\nself.register_buffer('n', torch.zeros((), dtype=torch.long))",
    "self.n += 1\nreturn x * self.a.exp() + self.b",
)
LENGTHS = reference(
    SCALE,
    "return torch.where(torch.arange(6, device=x.device)[:, None] < n, x, 0.0) * self.a.exp() + self.b",
    "x, n",
    "torch.randn(6, 16), torch.tensor(4)",
)
#: Each with what is another program, in which it is replaced.
RIGHT = {
    "a folded norm": (
        reference("self.bn = nn.BatchNorm1d(16)\nself.eval()", "return self.bn(x)"),
        "self.bn = nn.BatchNorm1d(16)\nself.eval()",
        FOLDED + AFFINE.format(a="scale", b="bn.bias - bn.running_mean * scale"),
        ("bn.bias -", "bn.bias +"),
    ),
    "bytes with scales": (
        reference(PARAMETERS, "s = self.w.abs().amax(1) / 127\nreturn x @ (torch.round(self.w.T / s) * s)"),
        PARAMETERS,
        "s = self.w.abs().amax(1) / 127.0\nq = torch.round(self.w / s[:, None]).to(torch.int8)\n"
        + LAUNCH.format(w="q", s="s"),
        ("127.0", "126.0"),
    ),
    "a product of weights": (
        PRODUCT,
        PARAMETERS,
        ONES + LAUNCH.format(w="(self.v @ self.w).float()", s="ones"),
        ("self.v @ self.w", "self.w @ self.v"),
    ),
    "a function of weights in place": (
        LINEAR,
        PARAMETERS,
        ONES + "w = self.v.detach().clone()\nw.exp_().mul_(self.w)\n" + LAUNCH.format(w="w", s="ones"),
        (".mul_", ".div_"),
    ),
    "a product that is kept": (
        LINEAR,
        PARAMETERS + "\nself.kept = None",
        KEPT + "    self.kept = now, (w * v.exp()).detach()\n" + ONES + LAUNCH.format(w="self.kept[1]", s="ones"),
        (".exp()", ".cos()"),
    ),
    "what a kernel made of weights": (
        LINEAR,
        PARAMETERS + "\nself.kept = None",
        f"{KEPT}    copy = torch.empty_like(v)\n    copied[(16,)](v, copy, N=16)\n"
        "    self.kept = now, (w * copy.exp()).detach()\n" + ONES + LAUNCH.format(w="self.kept[1]", s="ones"),
        (".exp()", ".cos()"),
    ),
    "a rotary table": (
        ROTARY,
        "self.register_buffer('speeds', 10.0 ** -torch.linspace(0, 1, 16))",
        "angle = torch.outer(torch.arange(x.shape[0], device=x.device), self.speeds)\ny = torch.empty_like(x)\n"
        "for row in range(x.shape[0]):\n"
        "    scaled[(1,)](x[row].contiguous(), angle[row].cos(), angle[row].sin(), y[row], N=16)\nreturn y",
        (".sin()", ".cos()"),
    ),
    "sorted weights": (
        reference(SCALE, "return x * self.a.sort().values + self.b.argsort()"),
        SCALE,
        AFFINE.format(a="torch.sort(self.a)[0]", b="torch.argsort(self.b).float()"),
        ("self.a)[0]", "self.a, descending=True)[0]"),
    ),
    "a count": (
        COUNTED,
        SCALE + "\nself.register_buffer('n', torch.zeros((), dtype=torch.long))",
        "self.n += 1\n" + AFFINE.format(a="self.a.exp()", b="self.b"),
        ("self.n += 1", "self.n += 2"),
    ),
    "a length that is read afterwards": (
        LENGTHS,
        SCALE,
        "a, b = self.a.exp(), self.b.repeat(6, 1)\ny = torch.empty_like(b)\nlength = max(0, min(6, int(n)))\n"
        "copied[(6,)](b, y, N=16)\nif length:\n    scaled[(length,)](x.contiguous(), a, self.b, y, N=16)\nreturn y",
        ("self.a.exp", "self.a.cos"),
    ),
}
LEARNED = reference(
    SCALE + "\nself.register_buffer('old', torch.zeros(6, 16))", "self.old.copy_(x)\nreturn x.exp() * self.a + self.b"
)
EXP = reference(SCALE, "return x.exp() * self.a + self.b")
HALF = reference(SCALE, "return x * self.a * s + self.b", "x, s", "torch.randn(6, 16), torch.tensor(0.5)")
WHOLE = reference(SCALE, "return x * self.a * n + self.b", "x, n", "torch.randn(6, 16), torch.tensor([3])")
ALONE = reference(PARAMETERS, "return x + 1, self.v @ self.w")
SMUGGLED = """y = torch.empty_like(x)
for row in range(x.shape[0]):
    scaled[(1,)]({x}[row], self.a, self.b, y[row], N=16)
return y"""
WRONG = {
    "an input": (EXP, SCALE, AFFINE.replace("(x, {a}", "(x.exp(), {a}").format(a="self.a", b="self.b")),
    "an input in new memory": (
        EXP,
        SCALE,
        "t = torch.zeros(6, 16, device=x.device)\nt.copy_(x)\nt.exp_()\n" + SMUGGLED.format(x="t"),
    ),
    "an input in a part of new memory": (
        EXP,
        SCALE,
        "t = self.a.repeat(7, 1)\nt[1:].copy_(x)\nt = t[1:].exp()\n" + SMUGGLED.format(x="t"),
    ),
    "an input beside weights": (
        EXP,
        SCALE,
        "t = torch.cat((self.a[None], x)).exp()[1:]\n" + SMUGGLED.format(x="t"),
    ),
    "an input in a weight": (
        EXP,
        SCALE + "\nself.t = nn.Parameter(torch.randn(6, 16))",
        "self.t.detach().copy_(x)\nt = self.t.exp()\n" + SMUGGLED.format(x="t"),
    ),
    "an input in a saved buffer": (
        LEARNED,
        SCALE + "\nself.register_buffer('old', torch.zeros(6, 16))",
        "self.old.copy_(x)\nt = self.old.exp()\n" + SMUGGLED.format(x="t"),
    ),
    "an input that a kernel copies": (
        EXP,
        SCALE,
        "t = torch.empty_like(x)\ncopied[(6,)](x.contiguous(), t, N=16)\nt = t.exp()\n" + SMUGGLED.format(x="t"),
    ),
    "an input that a kernel copies to a buffer": (
        EXP,
        SCALE + "\nself.register_buffer('t', torch.randn(6, 16), persistent=False)",
        "copied[(6,)](x.contiguous(), self.t, N=16)\nt = self.t.exp()\n" + SMUGGLED.format(x="t"),
    ),
    "an input in an operator's result": (
        EXP,
        SCALE,
        "t = torch.empty_like(x)\ntorch.exp(x, out=t)\n" + SMUGGLED.format(x="t"),
    ),
    "a function of autograd": (EXP, SCALE, "t = Exp.apply(x)\n" + SMUGGLED.format(x="t")),
    "a number of an input": (HALF, SCALE, "a = self.a * s.item()\n" + AFFINE.format(a="a", b="self.b")),
    "a number of an input in a tensor": (
        HALF,
        SCALE,
        "a = self.a * torch.full((16,), float(s), device=x.device)\n" + AFFINE.format(a="a", b="self.b"),
    ),
    "a list of an input": (WHOLE, SCALE, "a = self.a * n.tolist()[0]\n" + AFFINE.format(a="a", b="self.b")),
    "an input in numpy": (
        WHOLE,
        SCALE,
        "a = self.a * torch.tensor(n.cpu().numpy()).to(x.device)\n" + AFFINE.format(a="a", b="self.b"),
    ),
    "a sort of an input": (
        reference("pass", "return x.sort(-1).values + 1"),
        "pass",
        "t = x.sort(-1)[0].contiguous()\none = torch.ones(16, device=x.device)\n"
        + AFFINE.replace("(x, {a}", "(t, {a}").format(a="one", b="one"),
    ),
    "an output of weights alone": (
        ALONE,
        PARAMETERS,
        ONES + "y = torch.empty_like(x)\nscaled[(6,)](x.contiguous(), ones, ones, y, N=16)\nreturn y, self.v @ self.w",
    ),
    "an output of weights alone that a kernel copies": (
        ALONE,
        PARAMETERS,
        ONES + "y, z = torch.empty_like(x), torch.empty_like(self.w)\n"
        "scaled[(6,)](x.contiguous(), ones, ones, y, N=16)\ncopied[(16,)](self.v @ self.w, z, N=16)\nreturn y, z",
    ),
    "an output of weights alone beside an input": (
        ALONE,
        PARAMETERS,
        ONES + "y, z = torch.empty_like(x), torch.empty_like(self.w)\n"
        "scaled[(6,)](x.contiguous(), ones, ones, y, N=16)\n"
        "scaled[(16,)](self.v @ self.w, ones, ones * 0, z, N=16)\nreturn y, z",
    ),
}
FUNCTION = """class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.exp()


"""


def candidate(init: str, names: str, body: str) -> str:
    return HEAD + KERNELS + (FUNCTION if "Exp.apply" in body else "") + written("ModelNew", init, names, body)


def names_of(wanted: Reference) -> str:
    return ", ".join(spec.name for spec in wanted.inputs)


@pytest.mark.parametrize("name", RIGHT)
def test_host_code_computes_with_weights_alone(name: str, anything: LocalEvaluator) -> None:
    wanted, init, body, (old, new) = RIGHT[name]
    body = body.replace("(x, ", "(x.contiguous(), ", 1)
    right = anything.evaluate_text(candidate(init, names_of(wanted), body), wanted, RUNGS)
    assert right.ok, right
    assert old in body
    wrong = anything.evaluate_text(candidate(init, names_of(wanted), body.replace(old, new)), wanted, RUNGS)
    assert wrong.status is Status.MISMATCH, wrong


@pytest.mark.parametrize("name", WRONG)
def test_host_code_computes_nothing_of_inputs(name: str, anything: LocalEvaluator) -> None:
    wanted, init, body = WRONG[name]
    found = anything.evaluate_text(candidate(init, names_of(wanted), body), wanted, RUNGS)
    assert found.status is Status.HOST_COMPUTES, found
