"""The normal form: kernels spelt otherwise have the same one, kernels that differ do not."""

import ast
import textwrap

import pytest
from kernel_corpus import corpus
from respelling import respelt

from kernelwright.ir.kernel.counting import counted
from kernelwright.ir.kernel.normal import normal_form
from kernelwright.ir.kernel.text.parsing import parse_function, parse_kernels
from kernelwright.ir.values import Kernel

LANES = "i = tl.program_id(0) * B + tl.arange(0, B)\n"
SAME = {
    "commuted": ("tl.store(x + i, (tl.load(x + i) + 1.0) * n)", "tl.store(i + x, n * (1.0 + tl.load(i + x)))"),
    "loads in another order": (
        "a = tl.load(x + i)\nb = tl.load(x + i + 1)\ntl.store(x + i, a / b)",
        "b = tl.load(x + 1 + i)\na = tl.load(x + i)\ntl.store(x + i, a / b)",
    ),
    "index sums": ("tl.store(x + (i + n) * 4, 0.0)", "tl.store(x + 4 * i + n * 4, 0.0)"),
    "masks": (
        "tl.store(x + i, 0.0, mask=(i < n) & (i >= 2))",
        "tl.store(x + i, 0.0, mask=(2 <= i) & (n > i) & (i < n))",
    ),
    "masks of rows": (
        "tl.store(x + i[:, None] + i[None, :], 0.0, mask=(i < n)[:, None] & (i[None, :] < 7))",
        "tl.store(x + i[:, None] + i[None, :], 0.0, mask=(i[:, None] < n) & (i < 7)[None, :])",
    ),
    "a while that counts": (
        "a = 0.0\nfor k in range(0, n, 2):\n    a += tl.load(x + k)\ntl.store(x, a)",
        "a = 0.0\nk = 0\nwhile k < n:\n    a += tl.load(x + k)\n    k += 2\ntl.store(x, a)",
    ),
    "a pointer that moves": (
        "for k in range(0, n, B):\n    tl.store(x + k + i, 0.0)",
        "p = x + i\nfor k in range(0, n, B):\n    tl.store(p, 0.0)\n    p += B",
    ),
    "a loop over blocks": (
        "for k in range(0, n, B):\n    tl.store(x + k, 0.0)",
        "for k in range(tl.cdiv(n, B)):\n    tl.store(x + k * B, 0.0)",
    ),
    "a loop over blocks, rounded up by hand": (
        "for k in range(0, n, B):\n    tl.store(x + k, 0.0)",
        "k = 0\nwhile k < (n + B - 1) // B:\n    tl.store(x + B * k, 0.0)\n    k += 1",
    ),
    "a pointer that moves over blocks": (
        "for k in range(0, n, B):\n    tl.store(x + k + i, 0.0)",
        "p = x + i\nfor _ in range((B - 1 + n) // B):\n    tl.store(p, 0.0)\n    p += B",
    ),
    "two sums in one loop": (
        "a = 0.0\nb = 0.0\nfor k in range(n):\n    a += tl.load(x + k)\n    b += a\ntl.store(x, a / b)",
        "q = 0.0\np = 0.0\nfor k in range(n):\n    p = tl.load(x + k) + p\n    q = p + q\ntl.store(x, p / q)",
    ),
}
OTHER = {
    "a loop over whole blocks": (
        "for k in range(0, n, B):\n    tl.store(x + k, 0.0)",
        "for k in range(n // B):\n    tl.store(x + k * B, 0.0)",
    ),
    "a loop over blocks that counts them": (
        "for k in range(0, n, B):\n    tl.store(x + k, 0.0)",
        "for k in range(tl.cdiv(n, B)):\n    tl.store(x + k, 0.0)",
    ),
    "sides of a division": ("tl.store(x + i, tl.load(x + i) / n)", "tl.store(x + i, n / tl.load(x + i))"),
    "association of floats": ("v = tl.load(x)\ntl.store(x, v + 1.0 + n)", "v = tl.load(x)\ntl.store(x, v + (1.0 + n))"),
    "bounds": ("tl.store(x + i, 0.0, mask=i < n)", "tl.store(x + i, 0.0, mask=i <= n)"),
    "a load after a store": (
        "a = tl.load(x)\ntl.store(x + 1, 0.0)\ntl.store(x + 2, a)",
        "tl.store(x + 1, 0.0)\na = tl.load(x)\ntl.store(x + 2, a)",
    ),
    "stores in another order": ("tl.store(x, 1.0)\ntl.store(x + n, 2.0)", "tl.store(x + n, 2.0)\ntl.store(x, 1.0)"),
    "fill values": ("tl.store(x, tl.load(x + n, n > 1, 0.0))", "tl.store(x, tl.load(x + n, n > 1, 1.0))"),
    "steps": (
        "for k in range(0, n, 2):\n    tl.store(x + k, 0.0)",
        "for k in range(0, n, 3):\n    tl.store(x + k, 0.0)",
    ),
    "carried crosswise": (
        "a = 0.0\nb = 1.0\nfor k in range(n):\n    a, b = b, a + b\ntl.store(x, a)",
        "a = 0.0\nb = 1.0\nfor k in range(n):\n    a, b = b, a + b\ntl.store(x, b)",
    ),
    "rows and columns": (
        "tl.store(x + i[:, None] * n + i[None, :], 0.0)",
        "tl.store(x + i[None, :] * n + i[:, None], 0.0)",
    ),
}


def form(body: str) -> str:
    text = textwrap.indent(LANES + body, "    ")
    return normal_form(parse_function(f"@triton.jit\ndef k(x, n, B: tl.constexpr):\n{text}"))


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME)
def test_one_kernel_has_one_normal_form(one: str, other: str) -> None:
    assert form(one) == form(other)


@pytest.mark.parametrize(("one", "other"), OTHER.values(), ids=OTHER)
def test_other_kernels_have_another(one: str, other: str) -> None:
    assert form(one) != form(other)


@pytest.mark.parametrize(
    "body",
    [
        "k = 0\nwhile k < n:\n    k += 2\ntl.store(x, k)",
        "k = 0\nwhile k < n:\n    tl.store(x, k)\n    k -= 2",
        "k = 0\nwhile k != n:\n    tl.store(x, k)\n    k += 2",
        "k = 0\nwhile k < tl.load(x):\n    tl.store(x, k)\n    k += 2",
        "for k in range(tl.cdiv(n, 4)):\n    tl.store(x + 4 * k, k)",
        "for k in range(tl.cdiv(n, 4)):\n    tl.store(x + 8 * k, 0.0)",
        "for k in range(1, tl.cdiv(n, 4)):\n    tl.store(x + 4 * k, 0.0)",
        "for k in range(tl.cdiv(n, m)):\n    tl.store(x + m * k, 0.0)",
    ],
)
def test_a_loop_that_counts_otherwise_stays(body: str) -> None:
    function = parse_function(f"@triton.jit\ndef k(x, n, m):\n{textwrap.indent(body, '    ')}")
    assert counted(function) == function


@pytest.mark.parametrize(
    ("test", "less", "counts"),
    [
        ("k > n", "k += -2", True),
        ("n < k", "k += -2", True),
        ("k < n", "k += -2", False),
        ("k > n", "k += m", False),
        ("k > n", "k += 2", False),
    ],
)
def test_a_loop_that_counts_down_by_a_known_number(test: str, less: str, counts: bool) -> None:
    head, step = "@triton.jit\ndef k(x, n, m):\n    ", "tl.atomic_add(x + k, 1.0)"
    made = counted(parse_function(f"{head}k = m\n    while {test}:\n        {step}\n        {less}"))
    wanted = parse_function(f"{head}for k in range(m, n, -2):\n        {step}")
    assert (normal_form(made) == normal_form(wanted)) == counts
    assert ("for" in {one.kind for one in made.walk()}) == counts


def test_respelt_kernels_have_the_same_normal_form() -> None:
    parted = []
    seen = changed = 0
    for seed, (name, module) in enumerate(sorted(corpus().items())):
        functions = parse_kernels(module.kernels)
        for kernel in module.kernels:
            if not functions[kernel.symbol].entry:
                continue
            text, helpers = respelt(kernel.source, seed)
            made = [Kernel(ast.parse(helper).body[0].name, helper) for helper in helpers]  # type: ignore[attr-defined]
            others = [other for other in module.kernels if other is not kernel]
            again = parse_kernels([Kernel(kernel.symbol, text), *made, *others])
            seen += 1
            changed += again[kernel.symbol] != functions[kernel.symbol]
            if normal_form(again[kernel.symbol], again) != normal_form(functions[kernel.symbol], functions):
                parted.append(f"{name} {kernel.symbol} {seed}")
    assert seen > 150 and changed > 0.8 * seen
    assert len(parted) <= 0.01 * seen, parted
