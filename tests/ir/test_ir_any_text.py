"""Whatever the text, reading it gives a module or a DialectError."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelwright.ir.errors import DialectError
from kernelwright.ir.parser import parse_module
from kernelwright.ir.printer import print_module
from kernelwright.ir.values import Reference, ScalarSpec, TensorSpec

SUITE = Path(__file__).parents[1] / "suite"
FILES = sorted(path for kind in ("honest", "cheats") for path in (SUITE / kind).glob("*/*.py"))
X = TensorSpec.contiguous("x", "f32", (16, 64))
REFERENCE = Reference("class Model: ...", "Model", (X, ScalarSpec("s", 2.0)), (), (X,))

#: Expressions and statements at the edges of the grammar.
EDGES = r"""torch.nn|torch|nn.functional|F|F.pad|aten|aten.mm.out.x|tl|math|triton.language|super|super()|self|ModelNew
x.T.T|[]()|{}[0]()|(lambda: 0)()|x[0](1)|x[...]|x[::2, None] = 1|x, *y = x|self.x: int = 3|x.y.z = 1|x[0].y = 1
*x,|x @= x|''.format()|'{'.format(1)|'{0[a]}'.format(x)|f'{x!r:>{x}}'|with torch.no_grad(): pass
with x as y, x: pass|global x|with torch.cuda.device(): pass|async def f(): pass
match x:\n    case {'a': 1, **b}: pass|class A(torch.autograd.Function): x = 1
class A(torch.autograd.Function):\n    def forward(): return A.apply(A)|type X = int|print(*x, **x)|del x[0], x
lambda: (yield)|def f(*a, k=torch.nn, **b): return f|x = y = double = x|double[x][x](x)|double[(1,)]
k = double; k()|torch.cuda.device|torch.cuda|torch.cuda.get_device_properties|import a.b.c as d|from . import x
from x import *|raise|raise x from x|assert x, x|for self.x in x: pass|for x[0] in x: pass|[x := 1]
x if x else x|k = x if x else double|@x.y(z)\ndef f(): pass|0 .real|x: 'a[' = 1|while 1: break
try: pass\nfinally: pass|nonlocal x|return (yield)|await x|..."""


def read(text: str) -> None:
    """Read a text; a module that comes of it survives printing."""
    try:
        module = parse_module(text, reference=REFERENCE)
    except DialectError as error:
        assert all(found.message and found.line >= 1 and found.column >= 0 for found in error.diagnostics)
        return
    assert parse_module(print_module(module)) == module


def mutilated(text: str, seed: int) -> Iterator[str]:
    """The text cut short, with lines missing, doubled or swapped, and with single words exchanged."""
    draw, lines = random.Random(seed), text.splitlines()
    yield text[: draw.randrange(len(text))]
    yield "\n".join(line for line in lines if draw.random() > 0.1)
    yield "\n".join(lines[: draw.randrange(len(lines))])
    first, second = draw.randrange(len(lines)), draw.randrange(len(lines))
    lines[first], lines[second] = lines[second], lines[first]
    yield "\n".join(lines)
    words = sorted({word for word in text.replace("(", " ").replace(")", " ").split() if word.isidentifier()})
    yield text.replace(draw.choice(words), draw.choice(words))


def test_mutilated_candidates_are_read_or_refused() -> None:
    assert FILES
    for number, path in enumerate(FILES):
        text = path.read_text("utf-8")
        for variant in (text, *mutilated(text, number)):
            read(variant)


@pytest.mark.parametrize("edge", [edge.replace(r"\n", "\n") for line in EDGES.splitlines() for edge in line.split("|")])
def test_edges_of_the_grammar_are_read_or_refused(edge: str) -> None:
    for body in (edge, f"y = {edge}", f"self.y = {edge}", f"if x:\n    {edge}", f"double[(1,)]({edge})"):
        lines = body.splitlines()
        inner = "".join(f"        {line}\n" for line in lines) + "        return x\n"
        read("import torch\n" + "\n".join(lines) + "\n")
        read(
            "import torch\nimport triton\nimport torch.nn as nn\n\n@triton.jit\ndef double(x):\n    pass\n\n\n"
            f"class ModelNew(nn.Module):\n    def __init__(self, x):\n{inner}\n    def forward(self, x):\n{inner}"
        )
        read("import torch\nimport triton\n\n@triton.jit\ndef double(x):\n" + inner + "\ndef forward(x):\n" + inner)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    read(text)
