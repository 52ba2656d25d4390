"""Accesses whose order is left to chance are refused, and nothing that atomics or barriers order is."""

import pytest
import torch
from torch import Tensor

from kernelwright.backend.interpreter.runtime import InterpreterRuntime
from kernelwright.backend.launch.execute import load_module
from kernelwright.backend.launch.faults import AccessError
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
}

ORDERED = {
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
    "a tile exchanged across a sum": (
        "tl.store(s_ptr + i, x)\nv = tl.sum(x, axis=0)\ntl.store(y_ptr + i, tl.load(s_ptr + p * B + B - 1 - j) + v)"
    ),
    "in place": "tl.store(x_ptr + i, x * 2)\ntl.store(y_ptr + i, x)",
}


def run(body: str, grid: int = 8, block: int = 32, turned: bool = False) -> Tensor:
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    host = Launcher(HOST.format(grid=grid, block=block))
    module = KernelModule("raced", REFERENCE, (Kernel("k", (HEAD + lines).rstrip("\n")),), host)
    runtime = InterpreterRuntime(check_races=True)
    runtime.turned = turned
    (found,) = load_module(module, runtime)([torch.randn(256, generator=torch.Generator().manual_seed(1))], {})
    return found


@pytest.mark.parametrize("turned", [False, True], ids=["in order", "turned"])
@pytest.mark.parametrize("name", RACES)
def test_what_chance_decides_is_refused(name: str, turned: bool) -> None:
    with pytest.raises(AccessError, match=r"another (program|thread|lane)"):
        run(RACES[name], turned=turned)


@pytest.mark.parametrize("turned", [False, True], ids=["in order", "turned"])
@pytest.mark.parametrize("name", ORDERED)
def test_what_is_ordered_passes(name: str, turned: bool) -> None:
    first = run(ORDERED[name])
    assert torch.allclose(run(ORDERED[name], turned=turned), first, rtol=1e-4, atol=1e-5)


def test_one_program_has_threads_too() -> None:
    with pytest.raises(AccessError, match="another thread of the program"):
        run(RACES["a tile turned around in memory"], grid=1, block=256)
    run(ORDERED["a tile turned around behind a barrier"], grid=1, block=256)


def test_tickets_are_not_given_out_in_the_order_of_programs() -> None:
    """What takes the order of atomics for that of programs gives something else when they come in another order."""
    tickets = "t = tl.atomic_add(c_ptr, 1)\ntl.store(y_ptr + t * B + j, x)"
    assert not torch.equal(run(tickets), run(tickets, turned=True))
    lanes = "t = tl.atomic_add(c_ptr + j * 0, 1)\ntl.store(y_ptr + p * B + t % B, x)"
    assert not torch.equal(run(lanes), run(lanes, turned=True))


def test_a_program_that_waits_is_never_turned() -> None:
    assert torch.equal(
        run(ORDERED["a carry handed on by flags"]), run(ORDERED["a carry handed on by flags"], turned=True)
    )
