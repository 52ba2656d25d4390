"""The dialect: every snippet that is refused, with its line, message and hint."""

from dataclasses import replace

import pytest

from kernelwright.ir.dialect.tables import Dialect
from kernelwright.ir.errors import DialectError
from kernelwright.ir.parser import parse_module
from kernelwright.ir.printer import print_module
from kernelwright.ir.values import Reference, ScalarSpec, TensorSpec

X, W = TensorSpec.contiguous("x", "f32", (16, 64)), TensorSpec.contiguous("w", "f32", (64, 64))
REFERENCE = Reference("class Model: ...", "Model", (X, W, ScalarSpec("s", 2.0)), (), (X,))

HEAD = """import math
import torch
import torch.nn as nn
import triton
import triton.language as tl

aten = torch.ops.aten
"""
KERNEL = """
@triton.jit
def double(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = index < n
    tl.store(out_ptr + index, tl.load(x_ptr + index, mask) * 2, mask)
"""
FORWARD = """
def forward(x, w):
    out = torch.empty_like(x)
    double[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out
"""


def host(body: str) -> str:
    """A file whose forward starts with these lines."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return HEAD + KERNEL + f"\n\ndef forward(x, w, s):\n{lines}    return x\n"


def kernel(body: str, *, above: str = "@triton.jit", parameters: str = "x_ptr, BLOCK: tl.constexpr") -> str:
    """A file with a kernel of this body."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return HEAD + FORWARD + KERNEL + f"\n\n{above}\ndef k(\n    {parameters}\n):\n{lines}"


def model(init: str, forward: str = "pass", *, above: str = "", bases: str = "nn.Module", held: str = "") -> str:
    """A file in KernelBench's form."""
    first = "".join(f"        {line}\n" for line in init.splitlines())
    second = "".join(f"        {line}\n" for line in forward.splitlines())
    return (
        HEAD
        + KERNEL
        + above
        + f"\n\nclass ModelNew({bases}):\n{held}    def __init__(self, size=4):\n        super().__init__()\n{first}"
        + f"\n    def forward(self, x, w, s):\n{second}        return x\n"
    )


def top(line: str) -> str:
    """A file with one more line at its top level."""
    return HEAD + line + "\n" + KERNEL + FORWARD


COMPUTE, WRITE = "torch compute", "write a @triton.jit kernel"
UNKNOWN = "a name that host code does not know"

#: (text, the line that is refused, part of the message, part of the hint)
REFUSED_HOST = [
    (host("y = getattr(x, 'sum')()"), "y = getattr", UNKNOWN, "name the attribute"),
    (host("os = __import__('os')"), "os =", "a dunder name", "two underscores"),
    (host("eval('x + 1')"), "eval(", UNKNOWN, "nothing is executed from strings"),
    (host("exec('x + 1')"), "exec(", UNKNOWN, "nothing is executed from strings"),
    (host("open('/tmp/f').read()"), "open(", UNKNOWN, "reads its arguments alone"),
    (host("print(x)"), "print(", UNKNOWN, "remove it"),
    (host("mm = torch.matmul\ny = mm(x, w)"), "mm = torch", COMPUTE, WRITE),
    (host("mm = torch.matmul\ny = mm(x, w)"), "y = mm", "a local value is called", "by their names"),
    (host("t = torch\ny = t.matmul(x, w)"), "t = torch", "a module as a value", "name what you use"),
    (host("ops = torch.ops.aten\ny = ops.mm(x, w)"), "ops = torch", COMPUTE, WRITE),
    (host("ops = aten\ny = ops.mm(x, w)"), "ops = aten", "a module as a value", "name what you use"),
    (host("mm = aten.mm\ny = mm(x, w)"), "mm = aten", "an extern operation that is not called", "aten.<op>"),
    (host("aten.set_(x, w)"), "aten.set_", "not allowed here", "write a kernel"),
    (host("y = torch.Tensor.matmul(x, w)"), "y = torch", COMPUTE, WRITE),
    (host("y = torch._C._nn.gelu(x)"), "y = torch", COMPUTE, WRITE),
    (host("f = torch.compile(forward)"), "f = torch", COMPUTE, WRITE),
    (host("y = x @ w"), "y = x", "a matrix product", WRITE),
    (host("y = x + w"), "y = x", "arithmetic on tensors", WRITE),
    (host("y = x * s"), "y = x", "arithmetic on tensors", WRITE),
    (host("y = -x.T"), "y = -", "arithmetic on tensors", WRITE),
    (host("y = x.view(-1)\ny += w.view(-1)"), "y +=", "arithmetic on tensors", WRITE),
    (host("a, b = x, w\ny = a * b"), "y = a", "arithmetic on tensors", WRITE),
    (host("for row in x:\n    y = row / 2"), "    y = row", "arithmetic on tensors", WRITE),
    (host("y = x[w > 0]"), "y = x[", "arithmetic on tensors", WRITE),
    (host("y = x[w]"), "y = x[", "arithmetic on tensors", WRITE),
    (host("x[w] = 3"), "x[w]", "arithmetic on tensors", WRITE),
    (host("x[0] += 3"), "x[0]", "arithmetic on tensors", WRITE),
    (host("y = sum([r for r in x.unbind(0)])"), "y = sum", "a builtin computes on a tensor", WRITE),
    (host("if x[0, 0]:\n    pass"), "if x[", "a tensor's content", "shapes and dtypes"),
    (host("y = x.sum()"), "y = x", "not a view", WRITE),
    (host("y = x.max()"), "y = x", "not a view", WRITE),
    (host("f = x.sum\ny = f()"), "f = x", "not a view", WRITE),
    (host("y = nn.functional.softmax(x, -1)"), "y = nn", COMPUTE, WRITE),
    (host("y = x.__class__"), "y = x", "a dunder name", "two underscores"),
    (host("y = type(x)(3)"), "y = type", UNKNOWN, "isinstance"),
    (host("y = torch.nn"), "y = torch", "a module as a value", "name what you use"),
    (host("y = torch.cuda.Stream()"), "y = torch", "that host code may use", "is_available"),
    (host("y = torch.cuda"), "y = torch", "that host code may use", "is_available"),
    (host("y = nn.functional.pad(x, (1, 1), mode='reflect')"), "y = nn", COMPUTE, "pad with constants"),
    (host("y = nn.functional.pad(x, (1, 1), 'reflect')"), "y = nn", COMPUTE, "pad with constants"),
    (host("pad = nn.functional.pad\ny = pad(x, (1, 1))"), "pad = nn", COMPUTE, WRITE),
    (host("y = '{0.shape}'.format(x)"), "y = '", "a format that is not plain", "f-string"),
    (host("y = x.shape.format(3)"), "y = x", "a format that is not plain", "f-string"),
    (
        host("k = double if s else x\nk[(1,)](x, x, 3, BLOCK=4)"),
        "k[(1,)]",
        "a launch of something that is not a kernel",
        "by name",
    ),
    (
        host("k = double\nk = x\nk[(1,)](x, x, 3, BLOCK=4)"),
        "k[(1,)]",
        "a launch of something that is not a kernel",
        "by name",
    ),
    (host("k = double\ny = k.fn"), "y = k", "not a view", WRITE),
    (host("n = x.item()"), "n = x", "content or address", "pass the tensor to a kernel"),
    (host("n = x.data_ptr()"), "n = x", "content or address", "pass the tensor to a kernel"),
    (host("n = x.storage_offset()"), "n = x", "not a view, metadata or copy", "as_strided(...) alone"),
    (host("n = torch.cuda.device_count()"), "n = torch", "not a part of torch.cuda", "get_device_properties"),
    (host("n = torch.cuda.current_device()"), "n = torch", "the number of a device as a value", "(x.device)"),
    (host("n = torch.cuda.is_available() + torch.cuda.current_device()"), "n = torch", "the number of a device", ""),
    (host("n = x.detach().numpy()"), "n = x", "content or address", "pass the tensor to a kernel"),
    (host("y = x.cpu()"), "y = x", "content or address", "pass the tensor to a kernel"),
    (host("y = (lambda a: a)(x)"), "y = (", "a value is called", "by their names"),
    (host("y = [aten.mm.out][0](x, w)"), "y = [", "a launch of something that is not a kernel", "launch by name"),
    (host("y = sorted([x], key=forward)"), "y = sorted", "a key that is not a lambda", "key=lambda"),
    (host("f = (lambda torch: torch)\ny = x"), "f = (", "a module's or kernel's name is bound", "another name"),
    (host("double = x\ny = double[0]"), "double = x", "a module's or kernel's name is bound", "another name"),
    (host("double(x, w)"), "double(x", "a kernel without a grid", "double[grid]"),
    (host("if (y := x.shape[0]) > 2:\n    pass"), "if (y", "NamedExpr", "a line of its own"),
    (host("try:\n    y = 1\nexcept ValueError:\n    pass"), "try:", "Try", "`if` or `assert`"),
    (host("with torch.enable_grad():\n    pass"), "with torch", "With", "under torch.cuda.device"),
    (host("with torch.no_grad() as y:\n    pass"), "with torch", "With", "write the body alone"),
    (host("with torch.cuda.device(x @ w):\n    pass"), "with torch", "a matrix product", WRITE),
    (host("with torch.no_grad():\n    y = x @ w"), "    y =", "a matrix product", WRITE),
    (host("global count\ncount = 1"), "global", "Global", "nothing outlives a call"),
    (host("import os"), "import os", "Import", "at the top of the file"),
    (host("class Box:\n    pass"), "class Box", "ClassDef", "at the top level"),
    (host("forward.cache = x"), "forward.cache", "an attribute is assigned", "keep no state"),
    (host("y = forward.cache"), "y = forward", "an attribute of a function", "keep no state"),
    (host("yield x"), "yield", "Yield", "return the outputs"),
    (host("größe = 3"), "größe", "not ASCII", "ASCII letters"),
    (host("y: eval('int') = 3"), "y: eval", "not a type", "annotate with"),
    (host("y = triton.testing.do_bench(forward)"), "y = triton", "not of triton's host side", "triton.cdiv"),
    (host("y = tl.zeros([4], tl.float32)"), "y = tl", "the Triton language in host code", "inside a"),
]

FUNCTION = """

class Fn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.n = 3
        out = torch.empty_like(x)
        return out

    @staticmethod
    def backward(ctx, grad):
        return grad * eval("2")
"""
MODULE_CALL = "a module is called"
REFUSED_CLASS = [
    (model("self.conv = nn.Conv2d(3, 8, 3)", "y = self.conv(x)"), "        y = self", MODULE_CALL, ".weight"),
    (
        model("self.conv = nn.Conv2d(3, 8, 3)", "conv = self.conv\ny = conv(x)"),
        "        y = ",
        "a local value",
        "names",
    ),
    (model("self.net = nn.ModuleList([nn.ReLU()])", "y = self.net[0](x)"), "        y = ", "not a kernel", "by name"),
    (model("self.conv = nn.Conv2d(3, 8, 3)", "y = self.conv.forward(x)"), "        y = ", "not a view", WRITE),
    (model("self.f = nn.functional.relu"), "        self.f", COMPUTE, WRITE),
    (model("self.f = torch.nn.functional.relu"), "        self.f", COMPUTE, WRITE),
    (model("self.f = torch.compile(nn.ReLU())"), "        self.f", COMPUTE, WRITE),
    (model("torch.manual_seed(0)"), "        torch.manual", COMPUTE, "as its values come from the reference"),
    (model("self.y = nn.ReLU()(torch.randn(3))"), "        self.y", "a value is called", "by their names"),
    (model("pass", "y = super().forward(x)"), "        y = ", "not a view", WRITE),
    (model("pass", "self.last = x"), "        self.last", "an attribute is assigned", "only remembers"),
    (model("pass", "y = self.last"), "        y = ", "that __init__ does not set", "in __init__"),
    (model("self.seen = []", "self.seen.append(x)"), "        self.seen.append", "outlives the call", "a local"),
    (model("self.seen = {}", "seen = self.seen\nseen['x'] = x"), "        seen['x']", "outlives the call", "a local"),
    (model("self.w = nn.Parameter(torch.ones(3))", "self.w.zero_()"), "        self.w.zero_", "outlives", "a local"),
    (model("self.w = nn.Parameter(torch.ones(3))", "y = self.w * 2"), "        y =", "arithmetic on tensors", WRITE),
    (model("self.lin = nn.Linear(3, 3)", "y = x @ self.lin.weight.t()"), "        y =", "a matrix product", WRITE),
    (model("pass", "y = self.apply(forward)"), "        y =", "that __init__ does not set", "in __init__"),
    (model("pass", "y = self._buffers"), "        y =", "a private attribute", "a public name"),
    (model("pass", "y = ModelNew()"), "        y =", "a class is built", "in __init__"),
    (model("pass", "y = self.__dict__"), "        y =", "a dunder name", "two underscores"),
    (model("self.m = Model()"), "        self.m", UNKNOWN, "the reference is not part"),
    (model("pass", bases="Model"), "class ModelNew", "derive from nn.Module alone", "(nn.Module)"),
    (model("pass", bases="nn.Module, metaclass=eval"), "class ModelNew", "keyworded", "(nn.Module)"),
    (model("pass", held="    cache = {}\n"), "    cache", "only methods", "in __init__"),
    (model("pass", held="    class Inner:\n        pass\n"), "    class Inner", "only methods", "in __init__"),
    (
        model("pass", held="    @classmethod\n    def a(cls):\n        return 1\n"),
        "    @classmethod",
        "a decorator",
        "remove it",
    ),
    (model("pass", held="    N = [1]\n"), "    N", "plain constants", "in __init__"),
    (model("pass", held="    f = torch.matmul\n"), "    f", "plain constants", "in __init__"),
    (model("pass", held="    def forward(self, x):\n        return x\n"), "    def forward", "each once", "__init__"),
    (
        model("self.draw()", held="    def draw(self):\n        self.n = 1\n", forward="self.draw()"),
        "        self.n",
        "an attribute is assigned",
        "keep no state",
    ),
    (
        model("pass", "y = Fn.apply(x)", above=FUNCTION.replace("out = torch.empty_like(x)", "out = x @ x")),
        "        out = ",
        "a matrix product",
        WRITE,
    ),
    (model("pass", "y = Fn.forward(x)", above=FUNCTION), "        y =", "an attribute of an autograd", "apply(...)"),
    (
        model("pass", "y = [Fn.apply]\nz = y[0](x)", above=FUNCTION),
        "        y =",
        "an attribute of an autograd",
        "apply(",
    ),
    (model("pass", above=FUNCTION.replace("ctx.n = 3", "ctx.f(x)")), "        ctx.f", "autograd context", "save"),
    (model("pass", above=FUNCTION.replace("@staticmethod", "@eval", 1)), "    @eval", "a decorator", "remove it"),
    (
        model("pass", held="    def __call__(self, x):\n        return x\n"),
        "    def __call__",
        "a dunder",
        "underscores",
    ),
]

REFUSED_TOP = [
    (top("from torch import matmul\nM = matmul"), "from torch", "the import of torch", "under these names alone"),
    (top("from torch import *"), "from torch", "the import of torch", "under these names alone"),
    (top("import torch as t\nM = t"), "import torch as t", "the import of torch", "under these names alone"),
    (top("import os\nM = os.name"), "import os", "the import of os", "under these names alone"),
    (top("import numpy as np\ndef g(a: np.ndarray):\n    return a"), "import numpy", "the import of numpy", "torch"),
    (
        top("from triton.language.extra import cuda\nL = cuda"),
        "from triton",
        "the import of triton.l",
        "libdevice",
    ),
    (top("import os as torch"), "import os", "the import of os", "under these names alone"),
    (top("from .models import x"), "from .models", "the import of models", "under these names alone"),
    (top("MM = torch.matmul"), "MM =", "not a constant", "numbers, strings, dtypes"),
    (top("N = open('/etc/passwd')"), "N =", "not a constant", "numbers, strings, dtypes"),
    (top("D = triton.runtime.driver.active.get_active_torch_device()"), "D =", "not a constant", "write x.device"),
    (top("D = torch.device('cuda')"), "D =", "not a constant", "write x.device"),
    (top("GRID = lambda meta: (eval('1'),)"), "GRID =", "not a constant", "numbers, strings, dtypes"),
    (top("CACHE = {}"), "CACHE =", "only keep state", "a local name"),
    (top("torch = 3"), "torch =", "taken or not plain", "another name"),
    (top("double = 3"), "def double", "taken or not plain", "another name"),
    (top("N = 3; M = 4"), "N = 3", "two statements on one line", "a line of its own"),
    (top("torch.backends.cudnn.benchmark = True"), "torch.backends", "Assign at the top", "keep kernels"),
    (top("print('hello')"), "print", "Expr at the top", "keep kernels"),
    (top("class Box:\n    pass"), "class Box", "ClassDef at the top", "keep kernels"),
    (top("async def run():\n    pass"), "async def", "AsyncFunctionDef", "keep kernels"),
    (top("def g(x, seen=[]):\n    return x"), "def g", "a default value", "as an argument"),
    (top("def g(x, f=torch.matmul):\n    return x"), "def g", "a default value", "as an argument"),
    (top("@torch.compile\ndef g(x):\n    return x"), "@torch", "a decorator on host code", "remove it"),
    (top("@torch.no_grad(eval('1'))\ndef g(x):\n    return x"), "@torch", "a decorator on host code", "remove it"),
    (top("def g():\n    return torch.matmul\nM = g()"), "    return", "in a function that decorators", "numbers"),
    (top("def g():\n    return open('f')\nM = g()"), "    return", "in a function that decorators", "numbers"),
    (top("T = [1]\ndef g():\n    T.append(1)\nM = g()"), "    T.app", "in a function that", "numbers"),
    (top("def g(x: eval('int')):\n    return x"), "def g", "not a type", "annotate with"),
    (top("def g(a, b):\n    return a @ b"), "    return a", "a matrix product", WRITE),
    (top("T = {'a': [1]}\ndef g():\n    T['a'].append(2)"), "    T['a']", "outlives the call", "a local"),
    (top("T = [1]\ndef g():\n    t = T\n    t += [2]"), "    t +=", "outlives the call", "a local"),
    (top("def g(a):\n    a.append(1)"), "    a.append", "outlives the call", "a local"),
]

UNKNOWN_IN_KERNEL = "a name that kernels do not know"
REFUSED_KERNEL = [
    (
        kernel("y = tl.inline_asm_elementwise('', '', [], tl.int32, True, 1)"),
        "y =",
        "not in the Triton lang",
        "assembly",
    ),
    (kernel("y = tl.extra.cuda.libdevice.tanh(1.0)"), "y =", "not in the Triton language", "libdevice"),
    (kernel("y = libdevice.fast_expf(1.0)"), "y =", "not a function of libdevice", "expm1"),
    (kernel("y = libdevice.tanh.fn"), "y =", "not a function of libdevice", "tanh"),
    (kernel("y = libdevice"), "y =", UNKNOWN_IN_KERNEL, "libdevice"),
    (kernel("y = tl.tanh(1.0)"), "y =", "not in the Triton language", "Triton has no such function"),
    (kernel("y = tl.math.softmax(1.0)"), "y =", "not in the Triton language", "use a function"),
    (kernel("forward(x_ptr, x_ptr)"), "forward(", "a host function in a kernel", "@triton.jit"),
    (kernel("print(x_ptr)"), "print(", UNKNOWN_IN_KERNEL, "remove it"),
    (kernel("y = torch.sum(x_ptr)"), "y =", UNKNOWN_IN_KERNEL, "kernels use tl.*"),
    (kernel("y = math.exp(2)"), "y =", UNKNOWN_IN_KERNEL, "kernels use tl.*"),
    (kernel("import os"), "import os", "Import", "at the top"),
    (kernel("y = x_ptr.__class__.dtype"), "y =", "a dunder name", "two underscores"),
    (kernel("y = x_ptr.handle.type"), "y =", "no such attribute", "tl.*"),
    (kernel("double.cache = 1"), "double.cache", "an attribute is assigned", "no state"),
    (kernel("y = double.fn"), "y =", "no such attribute", "tl.*"),
    (kernel("f = lambda a: a"), "f =", "Lambda in a kernel", "tl.static_range"),
    (kernel("def g():\n    pass"), "def g", "a nested function", "of its own"),
    (kernel("y = getattr(tl, 'sum')(1)"), "y =", UNKNOWN_IN_KERNEL, "name the attribute"),
    (kernel("f = tl.sum\ny = f(1)"), "y = f", "a local is called", "by name"),
    (kernel("tl = x_ptr"), "tl =", "a module's name is bound", "another name"),
    (kernel("pass", parameters="x_ptr, n=eval('3')"), "x_ptr, n", "a default value", "as an argument"),
    (kernel("pass", parameters="x_ptr: open('/tmp/f')"), "x_ptr:", "not a type", "annotate with"),
    (kernel("pass", parameters="*args"), "*args", "starred parameters", "name every parameter"),
    (kernel("pass", above="@triton.jit(launch_metadata=eval)"), "@triton.jit(l", "launch_metadata", "it takes"),
    (kernel("pass", above="@eval\n@triton.jit"), "@eval", "a decorator that kernels", "@triton.autotune"),
    (
        kernel("pass", above="@triton.autotune(configs=make(), key=['n'])\n@triton.jit"),
        "@triton.autotune",
        "a decorator's argument",
        "triton.Config",
    ),
    (
        kernel("pass", above="@triton.heuristics({'BLOCK': lambda a: open('f')})\n@triton.jit"),
        "@triton.heur",
        "a decorator's argument",
        "triton.Config",
    ),
    (
        kernel("pass", above="@triton.autotune([triton.Config({}, pre_hook=lambda a: 1)], key=[])\n@triton.jit"),
        "@triton.autotune",
        "a decorator's argument",
        "name it in reset_to_zero",
    ),
]


@pytest.mark.parametrize(
    ("text", "line", "message", "hint"), [*REFUSED_HOST, *REFUSED_CLASS, *REFUSED_TOP, *REFUSED_KERNEL]
)
def test_refused(text: str, line: str, message: str, hint: str) -> None:
    with pytest.raises(DialectError) as caught:
        parse_module(text, reference=REFERENCE)
    lines = text.splitlines()
    matching = [d for d in caught.value.diagnostics if message in d.message and hint in d.hint]
    assert matching, str(caught.value)
    starts = [d for d in matching if lines[d.line - 1].strip().startswith(line.strip())]
    assert starts, "\n".join(f"{d} at {lines[d.line - 1]!r}" for d in matching)
    assert all(0 <= d.column <= len(lines[d.line - 1]) and d.text for d in caught.value.diagnostics)


def test_all_diagnostics_are_collected_in_order() -> None:
    with pytest.raises(DialectError) as caught:
        parse_module(host("y = x @ w\nz = x.sum()\nprint(z)"), reference=REFERENCE)
    messages = [d.message for d in caught.value.diagnostics]
    assert messages == ["a matrix product in host code", "not a view, metadata or copy", UNKNOWN]


def test_columns_count_characters() -> None:
    with pytest.raises(DialectError) as caught:
        parse_module(host("y = ('größe', x.sum())"), reference=REFERENCE)
    (found,) = caught.value.diagnostics
    assert (found.column, found.text) == (18, "x.sum")


def test_syntax_errors_say_where() -> None:
    with pytest.raises(DialectError, match=r"line 2, column \d+: not Python"):
        parse_module("x = 1\ny = (", reference=REFERENCE)
    with pytest.raises(DialectError, match="not Python"):
        parse_module("x = '\0'", reference=REFERENCE)


def test_externs_follow_the_configuration() -> None:
    text = host("y = aten.mm(x, w)")
    assert parse_module(text, reference=REFERENCE).launcher is not None
    assert parse_module(text, reference=REFERENCE, dialect=Dialect(frozenset({"aten.mm"}))).launcher is not None
    with pytest.raises(DialectError, match=r"the extern operation aten\.mm is not allowed here"):
        parse_module(text, reference=REFERENCE, dialect=Dialect(frozenset()))


def test_a_file_cannot_replace_its_reference() -> None:
    text = print_module(replace(parse_module(HEAD + KERNEL + FORWARD, reference=REFERENCE), name="m"))
    assert parse_module(text, reference=REFERENCE) == parse_module(text)
    with pytest.raises(DialectError, match="puts another reference in place"):
        parse_module(text, reference=replace(REFERENCE, entry="Other"))


TABLES = [
    'self.register_buffer("t", torch.einsum("i,j->ij", torch.arange(4.0), torch.arange(4.0)))',
    'self.register_buffer("t", torch.arange(4.0).softmax(0))',
    "self.w = nn.Parameter(torch.fft(torch.arange(4.0)))",
    "self.w = nn.Parameter(torch.empty(4, 4).sort().inverse())",
    "self.w = nn.Parameter(torch.sin(torch.empty(4, 4)) @ torch.empty(4, 4))",
]


@pytest.mark.parametrize("line", TABLES)
def test_a_table_that_is_computed_first_need_not_be(line: str) -> None:
    with pytest.raises(DialectError) as caught:
        parse_module(model(line), reference=REFERENCE)
    for found in caught.value.diagnostics:
        assert "torch.empty(shape) will do, as its values come from the reference" in found.hint
        assert "aten" not in found.hint
    parse_module(model('self.register_buffer("t", torch.empty(4, 4))'), reference=REFERENCE)


@pytest.mark.parametrize("body", ["y = x + w", "y = x.sum()", "y = x @ w", "y = torch.relu(x)", "y = sum(x)"])
def test_externs_are_offered_where_there_are_any(body: str) -> None:
    for externs, offered in ((None, True), (frozenset({"aten.mm"}), True), (frozenset(), False)):
        with pytest.raises(DialectError) as caught:
            parse_module(host(body), reference=REFERENCE, dialect=Dialect(externs))
        hints = [found.hint for found in caught.value.diagnostics if WRITE in found.hint]
        assert hints
        assert all(("aten.<op>" in hint) == offered for hint in hints)
