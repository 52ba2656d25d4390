"""The kernel IR: what it reads it prints back, and how a kernel is spelt makes no difference."""

import textwrap

import pytest
from kernel_corpus import corpus

from kernelwright.ir.kernel.canonical import canonical
from kernelwright.ir.kernel.text.parsing import helper_of, kernel_functions, parse_function
from kernelwright.ir.kernel.text.printing import print_function, with_functions
from kernelwright.ir.kernel.values import Function
from kernelwright.ir.parser import parse_module
from kernelwright.ir.printer import print_module

#: Statements that people write seldom, or that Triton's compiler refuses and its interpreter runs.
UNUSUAL = {
    "early return": "if n == 0:\n    return\ntl.store(x, n)",
    "return in a branch": "if n == 0:\n    tl.store(x, 1)\n    return\nelse:\n    y = 2\ntl.store(x, y)",
    "return in a loop": "for i in range(n):\n    if i > 2:\n        return\ntl.store(x, 1)",
    "break": "for i in range(n):\n    if i > 3:\n        break\n    tl.store(x + i, i)",
    "continue": "acc = 0\nfor i in range(n):\n    if i > 3:\n        continue\n    acc += i\ntl.store(x, acc)",
    "raise": "if B > 3:\n    raise ValueError('no')\ntl.store(x, 1)",
    "chained comparison": "i = tl.arange(0, B)\ntl.store(x + i, 1, mask=(0 <= i < n))",
    "del": "y = tl.load(x)\nz = y + 1\ndel y\ntl.store(x, z)",
    "loop over a tuple": "for a in (1, 2, 3):\n    tl.store(x + a, a)",
    "while with else": "i = 0\nwhile i < n:\n    i += 1\nelse:\n    i = 7\ntl.store(x, i)",
    "while": "i = 0\ns = 0.0\nwhile i < n:\n    s += tl.load(x + i)\n    i += 2\ntl.store(x, s)",
    "while on memory": "i = 0\nwhile i < n and tl.load(x + i) > 0:\n    i += 1\ntl.store(x, i)",
    "endless": "while True:\n    tl.store(x, 1)",
    "tuples": "a, (b, c) = tl.load(x), (1, 2)\nt = (a, b, c)\ntl.store(x, t[0] + t[1] * t[2])\ntl.store(x, len(t))",
    "swap": "a = tl.load(x)\nb = a + 1\nfor i in range(n):\n    a, b = b, a + b\ntl.store(x, a)\ntl.store(x + 1, b)",
    "after static_range": "for i in tl.static_range(4):\n    y = tl.load(x + i)\ntl.store(x, y)\ntl.store(x, i)",
    "after range": "for i in range(n):\n    y = tl.load(x + i)\ntl.store(x, y)\ntl.store(x, i)",
    "bound in one branch": "if B > 3:\n    y = tl.load(x)\nif B > 3:\n    tl.store(x, y)",
    "guard": "b = 0.0\nif x is not None and x.dtype.element_ty == tl.float32:\n    b = tl.load(x)\ntl.store(x, b)",
    "choices": "y = tl.load(x) if B > 3 else 0.0\ntl.store(x, y)\ntl.store(x + 1, 1.0 if n > 3 else 2.0)",
    "constants": "a: tl.constexpr = B * 2\nb = B * 2\ntl.store(x + tl.arange(0, a), tl.full([a], b, tl.float32))",
    "assertions": "assert n > 3, 'm'\ntl.static_assert(B > 2)\ntl.device_assert(n > 1)\ntl.device_print('x', n, n)",
    "atomics": "old = tl.atomic_add(x, 1)\ntl.atomic_add(x, old, sem='relaxed')",
    "hints": "i = tl.arange(0, B) + n\nj = tl.max_contiguous(tl.multiple_of(i % 8, B), B)\ntl.store(x + i, j)",
    "descriptors": "d = tl.make_tensor_descriptor(x, shape=[n, B], strides=[B, 1], block_shape=[16, B])\n"
    "d.store([16, 0], d.load([0, 0]))",
    "an unknown function": "y = helper(x, n, z=B)\na, b = helper2(y)\ntl.store(x, a + b)",
    "a function as parameter": "y = B(tl.load(x))\ntl.store(x, y)",
    "a slice": "t = (1, 2, 3)\ntl.store(x, t[1:][0])",
    "parameters assigned": "for i in range(n):\n    x += 1\n    n = n + i\n    tl.store(x, n)",
    "signs": "tl.store(x, -(-n) + -1 - -2.5 ** 2 + (not n))",
    "parentheses": "tl.store(x, (n - (n - 1)) * 2 - (n // 2) % 3 // (4 * n) << 1)",
    "nothing": "'''Says so.'''\npass",
    "dead code": "y = tl.load(x)\nz = y * 2",
    "starred": "t = (1, 2)\ntl.store(x, tl.maximum(*t))",
    "branches in a loop": "acc = 0.0\nm = 1.0\nfor i in range(n):\n    v = tl.load(x + i)\n    if v > m:\n"
    "        acc = acc + v\n        m = v\n    elif v < 0:\n        acc = m\ntl.store(x, acc + m)",
}

#: Pairs of spellings of one kernel.
SPELLINGS = {
    "temporaries": ("a = tl.load(x)\nb = a * 2\nc = b + n\ntl.store(x, c)", "tl.store(x, tl.load(x) * 2 + n)"),
    "names": ("foo = tl.program_id(0)\ntl.store(x + foo, foo)", "pid = tl.program_id(0)\ntl.store(x + pid, pid)"),
    "repeated work": ("a = n * n\ntl.store(x + a, a)", "tl.store(x + n * n, n * n)"),
    "independent order": (
        "i = tl.program_id(0)\nj = tl.program_id(1)\ntl.store(x + i, j)",
        "j = tl.program_id(1)\ni = tl.program_id(0)\ntl.store(x + i, j)",
    ),
    "new axes": (
        "i = tl.arange(0, B)\ntl.store(x + i[:, None] + i[None, :], 1)",
        "i = tl.arange(0, B)\ntl.store(x + tl.expand_dims(i, 1) + tl.expand_dims(i, axis=0), 1)",
    ),
    "keywords": (
        "tl.store(x, tl.load(x, mask=n > 1, other=0.0), eviction_policy='')",
        "tl.store(value=tl.load(x, n > 1, 0.0), pointer=x, mask=None)",
    ),
    "methods": ("tl.store(x, tl.load(x).to(tl.int32).sum(0))", "tl.store(x, tl.sum(tl.cast(tl.load(x), tl.int32), 0))"),
    "updates": ("a = tl.load(x)\na += 1\ntl.store(x, a)", "a = tl.load(x)\na = a + 1\ntl.store(x, a)"),
    "ranges": ("for i in tl.range(0, n, 1):\n    tl.store(x + i, i)", "for k in range(n):\n    tl.store(x + k, k)"),
    "carried in another order": (
        "a = 0.0\nb = 1.0\nfor i in range(n):\n    b = b + tl.load(x)\n    a = a + b\ntl.store(x, a)",
        "b = 1.0\na = 0.0\nfor i in range(n):\n    c = tl.load(x)\n    b = b + c\n    a = a + b\ntl.store(x, a)",
    ),
    "carried for nothing": (
        "a = 0.0\nt = 0.0\nfor i in range(n):\n    t = tl.load(x + i)\n    a += t\ntl.store(x, a)",
        "a = 0.0\nfor i in range(n):\n    a += tl.load(x + i)\ntl.store(x, a)",
    ),
}

#: Pairs that look alike and are not one kernel.
DIFFERENT = {
    "a tensor of a constant": ("a = B * 2\ntl.store(x, a)", "tl.store(x, B * 2)"),
    "order of memory": (
        "tl.store(x, 1)\ny = tl.load(x)\ntl.store(x + 1, y)",
        "y = tl.load(x)\ntl.store(x, 1)\ntl.store(x + 1, y)",
    ),
    "inside the loop": (
        "y = tl.exp(n)\nfor i in range(n):\n    tl.store(x + i, y)",
        "for i in range(n):\n    tl.store(x + i, tl.exp(n))",
    ),
    "integer and float": ("tl.store(x, n * 1)", "tl.store(x, n * 1.0)"),
    "rounding": ("tl.store(x, n * 2 + 1 + n)", "tl.store(x, n * 2 + (1 + n))"),
}


def read(body: str) -> Function:
    return parse_function(f"@triton.jit\ndef k(x, n, B: tl.constexpr):\n{textwrap.indent(body, '    ')}\n")


@pytest.mark.parametrize("name", sorted(corpus()))
def test_kernels_survive_printing(name: str) -> None:
    module = corpus()[name]
    functions = kernel_functions(module)
    helpers = {symbol: helper_of(function) for symbol, function in functions.items()}
    for symbol, function in functions.items():
        others = {name: helper for name, helper in helpers.items() if name != symbol}
        assert canonical(function) == function
        assert parse_function(print_function(function), others, entry=function.entry) == function
        assert not any(operation.kind.startswith("opaque") for operation in function.walk())


@pytest.mark.parametrize("name", sorted(corpus()))
def test_printed_kernels_are_in_the_dialect(name: str) -> None:
    module = corpus()[name]
    printed = with_functions(module, kernel_functions(module))
    again = parse_module(print_module(printed))
    assert [kernel.source for kernel in again.kernels] == [kernel.source for kernel in printed.kernels]


@pytest.mark.parametrize("body", UNUSUAL.values(), ids=UNUSUAL)
def test_unusual_kernels_survive_printing(body: str) -> None:
    function = read(body)
    assert canonical(function) == function
    text = print_function(function)
    assert parse_function(text) == function and print_function(parse_function(text)) == text


@pytest.mark.parametrize(("one", "other"), SPELLINGS.values(), ids=SPELLINGS)
def test_spelling_makes_no_difference(one: str, other: str) -> None:
    assert read(one) == read(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT.values(), ids=DIFFERENT)
def test_kernels_that_differ_are_told_apart(one: str, other: str) -> None:
    assert read(one) != read(other)


def test_what_is_not_known_is_kept_as_text() -> None:
    function = read(UNUSUAL["loop over a tuple"])
    assert [operation.kind for operation in function.body.operations] == ["opaque_statement"]
    assert "for value in (1, 2, 3):\n        tl.store(x + value, value)" in print_function(function)


def test_printed_text_reads_as_a_person_writes() -> None:
    source = """
@triton.jit
def softmax(x_ptr, out_ptr, n, stride, BLOCK: tl.constexpr):
    v0 = tl.program_id(0)
    v1 = tl.arange(0, BLOCK)
    v2 = v1 < n
    v3 = tl.load(x_ptr + v0 * stride + v1, v2, -float("inf"))
    v4 = tl.max(v3, 0)
    v5 = tl.exp(v3 - v4)
    v6 = tl.sum(v5, 0)
    v7 = v5 / v6
    tl.store(out_ptr + v0 * stride + v1, v7, v2)
"""
    assert (
        print_function(parse_function(source))
        == """@triton.jit
def softmax(x_ptr, out_ptr, n, stride, BLOCK: tl.constexpr):
    first = tl.program_id(0) * stride
    lanes = tl.arange(0, BLOCK)
    mask = lanes < n
    x = tl.load(x_ptr + first + lanes, mask=mask, other=-float("inf"))
    exponential = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + first + lanes, exponential / tl.sum(exponential, axis=0), mask=mask)"""
    )
