"""Accesses whose order is left to chance are refused, and nothing that atomics or barriers order is."""

import threading

import pytest
import torch
from torch import Tensor

from kernelwright.backend.interpreter.addresses import Addresses
from kernelwright.backend.interpreter.runtime import InterpreterRuntime
from kernelwright.backend.launch.execute import load_module
from kernelwright.backend.launch.faults import AccessError, KernelError
from kernelwright.ir.values import Kernel, KernelModule, Launcher, Reference, TensorSpec

X = TensorSpec.contiguous("x", "f32", (256,))
REFERENCE = Reference("class Model: ...", "Model", (X,), (), (X,))

HEAD = """@triton.jit
def k(x_ptr, y_ptr, s_ptr, c_ptr, n, B: tl.constexpr):
    p = tl.program_id(0)
    i = p * B + tl.arange(0, B)
    j = tl.arange(0, B)
    x = tl.load(x_ptr + i)
"""
#: `s` is scratch, nothing in it; `c` counters, all 0.
HOST = """def forward(x):
    y = torch.zeros_like(x)
    s = torch.zeros((512,), dtype=torch.float32, device=x.device)
    c = torch.zeros((64,), dtype=torch.int32, device=x.device)
    k[({grid},)](x, y, s, c, 256, B={block})
    return y
"""

RACES = {
    "lost updates": "tl.store(y_ptr, tl.load(y_ptr) + tl.sum(x, axis=0))",
    "lost updates behind an atomic": "tl.atomic_add(c_ptr, 1)\ntl.store(y_ptr, tl.load(y_ptr) + tl.sum(x, axis=0))",
    "lost updates before an atomic": "tl.store(y_ptr, tl.load(y_ptr) + tl.sum(x, axis=0))\ntl.atomic_add(c_ptr, 1)",
    "lost updates beside atomics on other elements": (
        "tl.atomic_add(c_ptr + p, 1)\ntl.store(y_ptr, tl.load(y_ptr) + tl.sum(x, axis=0))\ntl.atomic_add(c_ptr + p, 1)"
    ),
    "lost updates between relaxed atomics": (
        'tl.atomic_add(c_ptr, 1, sem="relaxed")\ntl.store(y_ptr, tl.load(y_ptr) + tl.sum(x, axis=0))\n'
        'tl.atomic_add(c_ptr, 1, sem="relaxed")'
    ),
    "a carry from the program before": (
        "tl.store(y_ptr + i, tl.cumsum(x, axis=0) + tl.load(y_ptr + p * B - 1, mask=p > 0, other=0.0))"
    ),
    "one program writes and all read": "if p == 0:\n    tl.store(s_ptr, 3.0)\ntl.store(y_ptr + i, x + tl.load(s_ptr))",
    "a store to what another has read": (
        "a = tl.load(x_ptr + (i + 1) % n)\ntl.store(x_ptr + i, a)\ntl.store(y_ptr + i, a)"
    ),
    "a plain store beside atomics": "if p == 1:\n    tl.store(s_ptr, 5.0)\ntl.atomic_add(s_ptr, 1.0)",
    "a plain read of what others count": "tl.atomic_add(c_ptr, 1)\ntl.store(y_ptr + i, x + tl.load(c_ptr))",
    "values one percent apart": "tl.store(y_ptr + j, 1.0 + 0.005 * p)",
    "lanes of one store": "tl.store(y_ptr + p * B + j // 2, x)",
    "a tile turned around in memory": "tl.store(s_ptr + i, x)\ntl.store(y_ptr + i, tl.load(s_ptr + p * B + B - 1 - j))",
    "a neighbour's value through memory": (
        "tl.store(s_ptr + i, x)\ntl.store(y_ptr + i, tl.load(s_ptr + p * B + (j + 1) % B) + x)"
    ),
    "a block exchanged after the barrier is over": (
        "tl.debug_barrier()\ntl.store(s_ptr + i, x)\ntl.store(y_ptr + i, tl.load(s_ptr + p * B + B - 1 - j))"
    ),
    "a tile exchanged across a sum in one warp": (
        "tl.store(s_ptr + i, x)\nv = tl.sum(x, axis=0)\ntl.store(y_ptr + i, tl.load(s_ptr + p * B + B - 1 - j) + v)"
    ),
    "a tile exchanged across sums of short rows": (
        "r = tl.arange(0, 8)[:, None] * 4 + tl.arange(0, 4)[None, :]\nv = tl.load(x_ptr + p * B + r)\n"
        "tl.store(s_ptr + p * B + r, v)\nw = tl.sum(v, axis=1)[:, None]\n"
        "tl.store(y_ptr + p * B + r, tl.load(s_ptr + p * B + 31 - r) + w)"
    ),
    "a row shifted in place": "tl.store(x_ptr + p * B + (j + 1) % B, x)",
    "neighbours swapped in place": "tl.store(x_ptr + p * B + (j ^ 1), x)",
    "a sum of two neighbours in place": ("tl.store(x_ptr + i, x + tl.load(x_ptr + p * B + j // 2 * 2))"),
    "one element set after its row": "tl.store(y_ptr + i, x)\ntl.store(y_ptr + p * B + 5, 7.0)",
    "a border after its row": "tl.store(y_ptr + i, x)\ntl.store(y_ptr + p * B + tl.arange(0, 4), 9.0)",
    "a row over the element set before": "tl.store(y_ptr + p * B + 3, 7.0)\ntl.store(y_ptr + i, x)",
    "sums by atomics of their own program": 'tl.atomic_add(y_ptr, tl.sum(x, axis=0), scope="cta")',
    "bins by atomics of their own program": 'tl.atomic_add(c_ptr + j % 4, 1, sem="relaxed", scope="cta")',
    "atomics of two scopes": (
        'if p % 2 == 0:\n    tl.atomic_add(c_ptr, 1, scope="cta")\nelse:\n    tl.atomic_add(c_ptr, 1)'
    ),
    "a carry beside a byte that all programs set": (
        "tl.store((s_ptr + 500).to(tl.pointer_type(tl.int8)), 0)\n"
        "b = tl.load(s_ptr + p)\ntl.store(s_ptr + p + 1, b + tl.sum(x, axis=0))\ntl.store(y_ptr + i, b + x)"
    ),
    "bytes of what another program stores": (
        "tl.store(s_ptr + i, x)\nb = tl.load((s_ptr + (i + B) % n).to(tl.pointer_type(tl.int8)))\n"
        "tl.store(y_ptr + i, b.to(tl.float32))"
    ),
    "a byte stored into another program's elements": (
        "tl.store(y_ptr + i, x)\ntl.store((y_ptr + (i + B) % n).to(tl.pointer_type(tl.int8)), 77)"
    ),
    "wide elements over what others read": (
        "v = tl.load(s_ptr + (i + B) % n)\nw = p * 16 + tl.arange(0, 16)\n"
        "tl.store(s_ptr.to(tl.pointer_type(tl.int64)) + w, w + 1)\ntl.store(y_ptr + i, v)"
    ),
    "halves and counts of one element": (
        "tl.atomic_add(c_ptr, 1)\ntl.store(c_ptr.to(tl.pointer_type(tl.int16)) + 1, p)"
    ),
    "a carry behind a loop": (
        "w = 0\nwhile w < 1:\n    w += 1\n"
        "tl.store(y_ptr + i, tl.cumsum(x, axis=0) + tl.load(y_ptr + p * B - 1, mask=p > 0, other=0.0))"
    ),
}

ORDERED = {
    "bytes of its own elements": (
        "tl.store(s_ptr + i, x)\ntl.debug_barrier()\nb = tl.load((s_ptr + i).to(tl.pointer_type(tl.int32)))\n"
        "tl.store(y_ptr + i, b.to(tl.float32, bitcast=True))"
    ),
    "bytes beside another program's": (
        "q = (s_ptr + p).to(tl.pointer_type(tl.int8))\ntl.store(q, 1)\ntl.store(q + 2, 3)\n"
        "tl.store((s_ptr + 256 + p).to(tl.pointer_type(tl.int16)), 2)\ntl.store(y_ptr + i, x)"
    ),
    "one input as two widths": (
        "b = tl.load((x_ptr + (i + B) % n).to(tl.pointer_type(tl.int8)))\ntl.store(y_ptr + i, x + b.to(tl.float32))"
    ),
    "all programs meet at a counter": (
        "tl.atomic_add(s_ptr, 1.0 + 0 * tl.sum(x, axis=0))\ntl.atomic_add(c_ptr, 1)\n"
        "while tl.atomic_add(c_ptr, 0) < 8:\n    pass\nt = tl.atomic_add(s_ptr, 0.0)\ntl.store(y_ptr + i, x * t)"
    ),
    "a carry by tickets and flags": (
        "t = tl.atomic_add(c_ptr, 1)\ni = t * B + j\nx = tl.load(x_ptr + i)\na = 0.0\nif t > 0:\n"
        "    while tl.atomic_add(c_ptr + t, 0, sem='acquire') == 0:\n        pass\n"
        "    a = tl.load(s_ptr + t - 1)\ntl.store(s_ptr + t, a + tl.sum(x, axis=0))\ntl.debug_barrier()\n"
        "tl.atomic_xchg(c_ptr + t + 1, 1, sem='release')\ntl.store(y_ptr + i, tl.cumsum(x, axis=0) + a)"
    ),
    "a carry by flags that are loaded": (
        "a = 0.0\nif p > 0:\n    while tl.load(c_ptr + p - 1, volatile=True) == 0:\n        pass\n"
        "    a = tl.load(s_ptr + p - 1)\ntl.store(s_ptr + p, a + tl.sum(x, axis=0))\ntl.debug_barrier()\n"
        "tl.atomic_xchg(c_ptr + p, 1)\ntl.store(y_ptr + i, tl.cumsum(x, axis=0) + a)"
    ),
    "tiles by a loop on a queue": (
        "t = tl.atomic_add(c_ptr, 1)\nwhile t < 8:\n"
        "    tl.store(y_ptr + t * B + j, tl.load(x_ptr + t * B + j) * 2)\n    t = tl.atomic_add(c_ptr, 1)"
    ),
    "apart": "tl.store(y_ptr + i, x)",
    "one value": "tl.store(y_ptr + j, 1.0)",
    "a halo of the same values": (
        "q = tl.load(x_ptr + (i + B) % n)\ntl.store(y_ptr + i, x)\ntl.store(y_ptr + (i + B) % n, q)"
    ),
    "rounding apart": "tl.store(y_ptr + j, 1.0 + 1e-7 * (p % 2))",
    "sums by atomics": "tl.atomic_add(y_ptr + j, x)",
    "a sum by atomics": "tl.atomic_add(y_ptr, tl.sum(x, axis=0))",
    "the last program finishes": (
        "tl.store(s_ptr + p, tl.sum(x, axis=0))\ndone = tl.atomic_add(c_ptr, 1)\n"
        "if done == tl.num_programs(0) - 1:\n    t = tl.load(s_ptr + j, mask=j < tl.num_programs(0), other=0.0)\n"
        "    tl.store(y_ptr, tl.sum(t, axis=0))"
    ),
    "a lock": (
        "v = tl.sum(x, axis=0)\nwhile tl.atomic_cas(c_ptr, 0, 1) == 1:\n    pass\n"
        "tl.store(y_ptr, tl.load(y_ptr) + v)\ntl.atomic_xchg(c_ptr, 0)"
    ),
    "a carry handed on by flags": (
        "v = tl.sum(x, axis=0)\na = 0.0\nif p > 0:\n    while tl.atomic_add(c_ptr + p - 1, 0) == 0:\n        pass\n"
        "    a = tl.load(s_ptr + p - 1)\ntl.store(s_ptr + p, a + v)\ntl.debug_barrier()\ntl.atomic_xchg(c_ptr + p, 1)\n"
        "tl.store(y_ptr + i, tl.cumsum(x, axis=0) + a)"
    ),
    "a carry by flags that acquire and release": (
        "v = tl.sum(x, axis=0)\na = 0.0\nif p > 0:\n    while tl.atomic_add(c_ptr + p - 1, 0, sem='acquire') == 0:\n"
        "        pass\n    a = tl.load(s_ptr + p - 1)\ntl.store(s_ptr + p, a + v)\n"
        "tl.atomic_xchg(c_ptr + p, 1, sem='release')\ntl.store(y_ptr + i, tl.cumsum(x, axis=0) + a)"
    ),
    "a row that its own program reads again": ("tl.store(s_ptr + i, x)\ntl.store(y_ptr + i, tl.load(s_ptr + i) * 2)"),
    "a tile turned around behind a barrier": (
        "tl.store(s_ptr + i, x)\ntl.debug_barrier()\ntl.store(y_ptr + i, tl.load(s_ptr + p * B + B - 1 - j))"
    ),
    "in place": "tl.store(x_ptr + i, x * 2)\ntl.store(y_ptr + i, x)",
    "a row shifted in place behind a barrier": "tl.debug_barrier()\ntl.store(x_ptr + p * B + (j + 1) % B, x)",
    "one element set after its row and a barrier": (
        "tl.store(y_ptr + i, x)\ntl.debug_barrier()\ntl.store(y_ptr + p * B + 5, 7.0)"
    ),
    "one element beside its row": "tl.store(y_ptr + i, x, mask=j != 5)\ntl.store(y_ptr + p * B + 5, 7.0)",
    "an element set to what it is": "tl.store(y_ptr + i, 7.0)\ntl.store(y_ptr + p * B + 5, 7.0)",
    "a row read and changed twice": (
        "tl.store(x_ptr + i, x + 1)\ntl.store(x_ptr + i, tl.load(x_ptr + i) * 2)\n"
        "tl.store(y_ptr + i, tl.load(x_ptr + i))"
    ),
    "a count kept in memory": (
        "for t in range(3):\n    tl.store(s_ptr + p, (tl.load(s_ptr + p) if t else 0.0) + 1.0)\ntl.store(y_ptr + i, x)"
    ),
    "a tile exchanged across a sum of columns": (
        "r = tl.arange(0, 8)[:, None] * 4 + tl.arange(0, 4)[None, :]\nv = tl.load(x_ptr + p * B + r)\n"
        "tl.store(s_ptr + p * B + r, v)\nw = tl.sum(v, axis=0)[None, :]\n"
        "tl.store(y_ptr + p * B + r, tl.load(s_ptr + p * B + 31 - r) + w)"
    ),
    "atomics of a program on elements of its own": 'tl.atomic_add(y_ptr + i, x, scope="cta")',
}


def run(
    body: str, grid: int = 8, block: int = 32, turned: int = 0, helper: str = "", addresses: Addresses | None = None
) -> Tensor:
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    host = Launcher(HOST.format(grid=grid, block=block))
    kernels = (Kernel("join", helper), Kernel("k", (HEAD + lines).rstrip("\n")))
    module = KernelModule("raced", REFERENCE, kernels if helper else kernels[1:], host)
    runtime = InterpreterRuntime(check_races=True)
    runtime.turned = turned
    forward = load_module(module, runtime)
    if addresses is not None:
        runtime.addresses = addresses
    (found,) = forward([torch.randn(256, generator=torch.Generator().manual_seed(1))], {})
    return found


@pytest.mark.parametrize("turned", [0, 1, 3, 5, 13], ids=["in order", "turned", "mixed", "paused", "held up"])
@pytest.mark.parametrize("name", RACES)
def test_what_chance_decides_is_refused(name: str, turned: bool) -> None:
    with pytest.raises(AccessError, match=r"another (program|thread|lane)"):
        run(RACES[name], turned=turned)


@pytest.mark.parametrize("turned", [0, 1, 3, 5, 13], ids=["in order", "turned", "mixed", "paused", "held up"])
@pytest.mark.parametrize("name", ORDERED)
def test_what_is_ordered_passes(name: str, turned: bool) -> None:
    first = run(ORDERED[name])
    assert torch.allclose(run(ORDERED[name], turned=turned), first, rtol=1e-4, atol=1e-5)


def test_a_sum_across_warps_is_a_barrier() -> None:
    exchanged = RACES["a tile exchanged across a sum in one warp"]
    once = run(exchanged, grid=4, block=64)
    assert torch.equal(once, run(exchanged.replace("v = tl.sum", "tl.debug_barrier()\nv = tl.sum"), grid=4, block=64))


def test_programs_come_in_more_than_two_orders() -> None:
    """What is right whether programs come forwards or backwards is wrong in a third order."""
    body = "t = tl.atomic_add(c_ptr, 1)\ntl.store(y_ptr + i, tl.where((t == p) | (t == 7 - p), x, 0.0))"
    forwards, backwards, mixed = (run(body, turned=turned) for turned in (0, 1, 3))
    assert torch.equal(forwards, backwards)
    assert not torch.equal(forwards, mixed)


#: Sums that lose what another program adds between two atomics, and those that lose nothing.
LOST = {
    "an exchange for what was found": "a = tl.atomic_add(y_ptr, 0.0)\ntl.atomic_xchg(y_ptr, a + v)",
    "an exchange in a mask": (
        "a = tl.atomic_add(y_ptr + j, 0.0, mask=j < 1)\ntl.atomic_xchg(y_ptr + j, a + v, mask=j < 1)"
    ),
    "a comparison made once": "a = tl.atomic_add(y_ptr, 0.0)\ntl.atomic_cas(y_ptr, a, a + v)",
    "a comparison made twice": (
        "a = tl.atomic_add(y_ptr, 0.0)\nb = tl.atomic_cas(y_ptr, a, a + v)\nif a != b:\n"
        "    tl.atomic_cas(y_ptr, b, b + v)"
    ),
    "a maximum for a sum": "a = tl.atomic_add(y_ptr, 0.0)\ntl.atomic_max(y_ptr, a + v)",
    "a lock that is only looked at": (
        "while tl.atomic_add(c_ptr, 0) == 1:\n    pass\ntl.atomic_xchg(c_ptr, 1)\na = tl.atomic_add(y_ptr, 0.0)\n"
        "tl.atomic_xchg(y_ptr, a + v)\ntl.atomic_xchg(c_ptr, 0)"
    ),
    "a lock for each half": (
        "while tl.atomic_cas(c_ptr + p // 4, 0, 1) == 1:\n    pass\na = tl.atomic_add(y_ptr, 0.0)\n"
        "tl.atomic_xchg(y_ptr, a + v)\ntl.atomic_xchg(c_ptr + p // 4, 0)"
    ),
    "a sum that is read before the last count": (
        "a = tl.atomic_add(y_ptr, v)\nt = tl.atomic_add(c_ptr, 1)\nif t == tl.num_programs(0) - 1:\n"
        "    tl.atomic_xchg(y_ptr, (a + v) * 2)\nelse:\n    tl.atomic_add(c_ptr + 1, 1)"
    ),
}
KEPT = {
    "one atomic": "tl.atomic_add(y_ptr, v)",
    "an atomic in a mask": "tl.atomic_add(y_ptr + j, v, mask=j < 1)",
    "a comparison until it holds": (
        "a = tl.atomic_add(y_ptr, 0.0)\nb = tl.atomic_cas(y_ptr, a, a + v)\nwhile a != b:\n    a = b\n"
        "    b = tl.atomic_cas(y_ptr, a, a + v)"
    ),
    "a lock around two atomics": (
        "while tl.atomic_cas(c_ptr, 0, 1) == 1:\n    pass\na = tl.atomic_add(y_ptr, 0.0)\n"
        "tl.atomic_xchg(y_ptr, a + v)\ntl.atomic_xchg(c_ptr, 0)"
    ),
    "a lock by an exchange": (
        "w = 1\nwhile w == 1:\n    w = tl.atomic_xchg(c_ptr, 1)\ntl.store(y_ptr, tl.load(y_ptr) + v)\n"
        "tl.debug_barrier()\ntl.atomic_xchg(c_ptr, 0)"
    ),
    "two locks one in the other": (
        "while tl.atomic_cas(c_ptr, 0, 1) == 1:\n    pass\nwhile tl.atomic_cas(c_ptr + 1, 0, 1) == 1:\n    pass\n"
        "a = tl.atomic_add(y_ptr, 0.0)\ntl.atomic_xchg(y_ptr, a + v)\ntl.atomic_xchg(c_ptr + 1, 0)\n"
        "tl.atomic_xchg(c_ptr, 0)"
    ),
    "turns by tickets": (
        "t = tl.atomic_add(c_ptr, 1)\nwhile tl.atomic_add(c_ptr + 1, 0) != t:\n    pass\n"
        "a = tl.atomic_add(y_ptr, 0.0)\ntl.atomic_xchg(y_ptr, a + v)\ntl.atomic_add(c_ptr + 1, 1)"
    ),
    "the last one adds": (
        "tl.store(s_ptr + p, v)\nt = tl.atomic_add(c_ptr, 1)\nif t == tl.num_programs(0) - 1:\n"
        "    tl.store(y_ptr, tl.sum(tl.load(s_ptr + j, mask=j < tl.num_programs(0), other=0.0)))"
    ),
}


@pytest.mark.parametrize("name", [*LOST, *KEPT])
def test_other_programs_come_between_two_atomics(name: str) -> None:
    """With few programs and with many, of which few are paused."""
    body = "v = tl.sum(x, axis=0)\n" + (LOST | KEPT)[name]
    for grid, block in ((8, 32), (64, 4)):
        in_turn, *paused = (float(run(body, grid=grid, block=block, turned=turned)[0]) for turned in (0, 5, 13))
        assert all(one == pytest.approx(in_turn, rel=1e-4, abs=1e-4) for one in paused) is (name in KEPT), paused


#: What joins two elements, or two pairs of them, and whether it does so in any order.
FOLDS = {
    "affine maps": ("a, b, c, d", "a * c, b * c + d", False),
    "matrices with a row of their own": ("a, b, c, d", "a + c, b - d * a", False),
    "means of two": ("a, c", "(a + c) / 2", False),
    "differences": ("a, c", "a - c", False),
    "decayed sums": ("a, c", "a * 0.5 + c", False),
    "sums": ("a, c", "a + c", True),
    "products": ("a, c", "a * c", True),
    "the larger size": ("a, c", "tl.where(tl.abs(a) > tl.abs(c), a, c)", True),
    "the largest and its place": ("a, b, c, d", "tl.maximum(a, c), tl.where(a > c, b, d)", True),
    "sums and squares": ("a, b, c, d", "a + c, b + d", True),
}


@pytest.mark.parametrize("name", FOLDS)
def test_folds_come_in_the_order_of_threads_too(name: str) -> None:
    """`tl.reduce` takes a function that is associative and commutative; one that is not gives something else."""
    parameters, how, same = FOLDS[name]
    kernel = f"@triton.jit\ndef join({parameters}):\n    return {how}\n"
    body = "v = tl.load(x_ptr + tl.arange(0, 512) % 251)\n" + (
        "q, r = tl.reduce((v, v * 0.75), 0, join)\ntl.store(y_ptr, r)"
        if "d" in parameters
        else "tl.store(y_ptr, tl.reduce(v, 0, join))"
    )
    one, other = (run(body, grid=1, block=32, turned=turned, helper=kernel)[0] for turned in (0, 1))
    assert torch.allclose(one, other, rtol=1e-4, atol=1e-5) is same


HINTS_FALSE = {
    "rows of no multiple": "i = tl.multiple_of(p * 33, 16) + j\ntl.store(y_ptr + j, tl.load(x_ptr + i % 256))",
    "a block that starts between": "i = tl.multiple_of(1 + j, 8)\ntl.store(y_ptr + j, x)",
    "steps of two": "i = tl.multiple_of(j * 2, 4)\ntl.store(y_ptr + j, x)",
    "a shuffled block": "i = tl.max_contiguous(j ^ 1, 4)\ntl.store(y_ptr + j, x)",
    "pairs that count": "i = tl.max_contiguous(j // 2, 2)\ntl.store(y_ptr + j, x)",
    "runs of two for four": "i = tl.max_constancy(j // 2, [4])\ntl.store(y_ptr + j, x)",
    "an offset pointer": "q = tl.multiple_of(x_ptr + 1, 16)\ntl.store(y_ptr + j, x)",
    "an assumption": "tl.assume(n % 512 == 0)\ntl.store(y_ptr + j, x)",
}
HINTS_TRUE = {
    "rows of a multiple": "i = tl.multiple_of(p * 32, 16) + j\ntl.store(y_ptr + i, x)",
    "a block that counts from a multiple": (
        "i = tl.max_contiguous(tl.multiple_of(p * 32 + j, 32), 32)\ntl.store(y_ptr + i, x)"
    ),
    "rows that go around": (
        "i = tl.max_contiguous(tl.multiple_of((p * 32 + j) % 250, 32), 32)\ntl.store(y_ptr + j, i * 0.0)"
    ),
    "rows cut off to 0": (
        "i = tl.where(j < 13, j, 0)\ni = tl.max_contiguous(tl.multiple_of(i, 32), 32)\ntl.store(y_ptr + j, x * 0)"
    ),
    "runs of four": "i = tl.max_constancy(j // 4, [4])\ntl.store(y_ptr + j, x * 0)",
    "two axes": (
        "r = tl.arange(0, 4)[:, None] * 64 + tl.arange(0, 8)[None, :]\n"
        "r = tl.max_contiguous(tl.multiple_of(r, [64, 8]), [1, 8])\ntl.store(y_ptr + j, x * 0)"
    ),
    "a tensor's own pointer": "q = tl.multiple_of(x_ptr, 16)\ntl.store(y_ptr + j, x * 0)",
    "an assumption": "tl.assume(n % 128 == 0)\ntl.store(y_ptr + j, x * 0)",
}


@pytest.mark.parametrize("name", HINTS_FALSE)
def test_what_the_compiler_is_told_falsely_is_refused(name: str) -> None:
    with pytest.raises(KernelError, match=r"tl\.(multiple_of|max_contiguous|max_constancy|assume)"):
        run(HINTS_FALSE[name], grid=2)


@pytest.mark.parametrize("name", HINTS_TRUE)
def test_what_the_compiler_is_told_truly_passes(name: str) -> None:
    run(HINTS_TRUE[name])


def test_one_program_has_threads_too() -> None:
    with pytest.raises(AccessError, match="another thread of the program"):
        run(RACES["a tile turned around in memory"], grid=1, block=256)
    run(ORDERED["a tile turned around behind a barrier"], grid=1, block=256)


def test_tickets_are_not_given_out_in_the_order_of_programs() -> None:
    """What takes the order of atomics for that of programs gives something else when they come in another order."""
    tickets = "t = tl.atomic_add(c_ptr, 1)\ntl.store(y_ptr + t * B + j, x)"
    assert not torch.equal(run(tickets), run(tickets, turned=1))
    lanes = "t = tl.atomic_add(c_ptr + j * 0, 1)\ntl.store(y_ptr + p * B + t % B, x)"
    assert not torch.equal(run(lanes), run(lanes, turned=1))


@pytest.mark.parametrize(
    "loop", ["w = 0\nwhile w < 1:\n    w += 1", "while tl.atomic_add(c_ptr + 9, 0) > 0:\n    pass"]
)
@pytest.mark.parametrize(
    "body",
    [
        "t = tl.atomic_add(c_ptr, 1)\ntl.store(y_ptr + t * B + j, x)",
        "a = tl.atomic_add(s_ptr + tl.arange(0, 1), tl.sum(x, axis=0))\ntl.store(y_ptr + i, tl.sum(a) + tl.cumsum(x))",
        "tl.atomic_xchg(y_ptr, tl.sum(x, axis=0))",
    ],
    ids=["tickets", "a running sum", "the last exchange"],
)
def test_a_loop_keeps_no_order(loop: str, body: str) -> None:
    assert not torch.equal(run(f"{loop}\n{body}"), run(f"{loop}\n{body}", turned=1))


def test_a_program_that_waits_goes_on_later() -> None:
    """Programs that begin last wait for those that begin first, and many more wait than begin as they come."""
    body = ORDERED["a carry handed on by flags"]
    assert torch.equal(run(body), run(body, turned=1))
    assert torch.equal(run(body, grid=64, block=4), run(body, grid=64, block=4, turned=3))


def test_what_fails_ends_the_programs_that_wait() -> None:
    before = threading.active_count()
    body = "if p == 0:\n    tl.store(y_ptr + n + i, x)\nwhile tl.atomic_add(c_ptr, 0) == 0:\n    pass"
    with pytest.raises(AccessError, match="out of bounds"):
        run(body, turned=1)
    assert threading.active_count() == before


SEEN = "a = y_ptr.to(tl.int64)\nb = x_ptr.to(tl.int64)\ntl.store(y_ptr + j, ({}).to(tl.float32) + 0 * x)"


def seen(expression: str, number: int, secret: int = 7) -> float:
    """What a kernel computes of the addresses of `y` and `x`."""
    return float(run(SEEN.format(expression), grid=1, addresses=Addresses(number, secret))[0])


def test_addresses_are_an_allocators() -> None:
    for number in range(4):
        assert seen("a % 512 + b % 512", number) == 0
        assert seen("tl.abs(a - b) // 1073741824", number) == 0
    assert [seen("a > b", number) for number in range(4)] == [1, 1, 0, 0]
    assert [seen("tl.abs(a - b) < 2097152", number) for number in range(4)] == [1, 0, 0, 1]
    assert seen("(a // 549755813888) % 2", 0) != seen("(a // 549755813888) % 2", 1)
    assert seen("a // 2097152", 0, secret=1) != seen("a // 2097152", 0, secret=2)


def test_pointers_come_back_from_integers() -> None:
    back = "q = ((x_ptr + i).to(tl.int64) + 4).to(tl.pointer_type(tl.float32))\n"
    given = torch.randn(256, generator=torch.Generator().manual_seed(1))
    assert torch.equal(run(back + "tl.store(y_ptr + i, tl.load(q, mask=i < n - 1, other=0.0))")[:255], given[1:])
    with pytest.raises(AccessError, match="out of bounds"):
        run(back + "tl.store(y_ptr + i, tl.load(q))")
    with pytest.raises(AccessError, match="out of bounds at x"):
        run("tl.store(y_ptr + i, tl.load(x_ptr + i + 8192))")
