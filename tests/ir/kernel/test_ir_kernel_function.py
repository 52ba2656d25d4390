"""What a function of the kernel IR obeys, and what can be asked of it: memory, helpers, a text for people."""

import textwrap
from dataclasses import replace

import pytest
from kernel_corpus import corpus

from kernelwright.ir.kernel.analysis.memory import MemoryOrder
from kernelwright.ir.kernel.canonical import canonical
from kernelwright.ir.kernel.text.dump import dump
from kernelwright.ir.kernel.text.inlining import inlined
from kernelwright.ir.kernel.text.parsing import kernel_functions, parse_function, parse_kernels
from kernelwright.ir.kernel.values import Constant, Effect, Function, Operation, Region, Value
from kernelwright.ir.kernel.verifier import verify_function
from kernelwright.ir.values import Kernel

LOOP = "acc = 0.0\nfor i in range(0, n, B):\n    acc += tl.load(x + i)\ntl.store(x, acc)"


def read(*sources: str) -> dict[str, Function]:
    """Functions k0, k1, … with parameters x, n, B and these bodies, by symbol."""
    texts = [
        f"@triton.jit\ndef k{i}(x, n, B: tl.constexpr):\n{textwrap.indent(s, '    ')}" for i, s in enumerate(sources)
    ]
    return parse_kernels([Kernel(f"k{index}", text) for index, text in enumerate(texts)])


def changed(function: Function, kind: str, changes: dict[str, object]) -> Function:
    """The function with its first operation of a kind changed."""
    done = False

    def region(one: Region) -> Region:
        return replace(one, operations=tuple(map(operation, one.operations)))

    def operation(one: Operation) -> Operation:
        nonlocal done
        if one.kind == kind and not done:
            done = True
            return replace(one, **changes)  # type: ignore[arg-type]
        return replace(one, regions=tuple(map(region, one.regions)))

    return replace(function, body=region(function.body))


def test_a_local_with_the_name_of_a_kernel_is_no_call_of_it() -> None:
    functions = read("k1 = tl.load(x)\ntl.store(x, k1 * 2)", "tl.store(x, n)")
    assert all(function.entry for function in functions.values())


def test_every_function_of_the_corpus_is_sound() -> None:
    functions = [function for module in corpus().values() for function in kernel_functions(module).values()]
    assert len(functions) > 200
    assert [complaint for function in functions for complaint in verify_function(function)] == []


@pytest.mark.parametrize(
    ("kind", "changes", "complaint"),
    [
        ("load", {"operands": (Value(99),)}, "load uses %99 before it is defined"),
        ("load", {"results": (Value(0),)}, "load defines %0 a second time"),
        ("load", {"keys": ("address",)}, "load takes no address"),
        ("load", {"operands": (), "keys": ()}, "load needs pointer"),
        ("load", {"effect": Effect.PURE}, "load has the effect READ, not PURE"),
        ("load", {"kind": "fetch"}, "no operation is called fetch"),
        ("for", {"effect": Effect.PURE}, "for has the effect PURE, its regions READ"),
        (
            "for",
            {"operands": (Constant("0"),) * 3, "keys": ("start", "end", "step")},
            "for carries 0 values in, but 1 out",
        ),
        ("for", {"regions": ()}, "for has 0 regions"),
    ],
)
def test_unsound_functions_are_named(kind: str, changes: dict[str, object], complaint: str) -> None:
    function = read(LOOP)["k0"]
    assert verify_function(function) == ()
    assert f"@k0: {complaint}" in verify_function(changed(function, kind, changes))


def test_rewrites_may_leave_any_numbers_and_dead_code() -> None:
    function = read(LOOP)["k0"]
    dead = Operation("exp", (Constant("1.0"),), ("x",), (Value(1000),))
    moved = replace(function, body=replace(function.body, operations=(dead, *function.body.operations)))
    assert moved != function and canonical(moved) == function


def test_loads_trade_places_and_stores_do_not() -> None:
    function = read("a = tl.load(x)\nb = tl.load(x + 1)\ntl.store(x, a + b)\nc = tl.load(x)\ntl.store(x + 1, c)")["k0"]
    memory = MemoryOrder(function)
    first, second, store, third, last = (one for one in function.walk() if one.effect)
    assert memory.may_swap(first, second)
    assert not memory.may_swap(first, third) and not memory.may_swap(second, store)
    assert not memory.may_swap(third, last)


def test_a_loop_sees_what_its_last_turn_left() -> None:
    function = read("a = tl.load(x)\nfor i in range(n):\n    tl.store(x + i, tl.load(x) + a)")["k0"]
    memory = MemoryOrder(function)
    outer, inner = (one for one in function.walk() if one.kind == "load")
    assert memory.of(outer) != memory.of(inner)


@pytest.mark.parametrize(
    ("helper", "call", "written"),
    [
        ("return x * n + B", "tl.store(x, k0(tl.load(x), 2.0, B))", "tl.store(x, tl.load(x) * 2.0 + B)"),
        (
            "y = x + 1\nreturn y, y * n",
            "a, b = k0(tl.load(x), n, 1)\ntl.store(x, b)",
            "tl.store(x, (tl.load(x) + 1) * n)",
        ),
        ("tl.store(x + n, B)", "k0(x, 3, B=4)", "tl.store(x + 3, 4)"),
        (
            "if B > 2:\n    y = x * n\nelse:\n    y = x\nreturn y",
            "v = tl.load(x)\ntl.store(x, k0(v, v, B))",
            "v = tl.load(x)\nif B > 2:\n    y = v * v\nelse:\n    y = v\ntl.store(x, y)",
        ),
    ],
)
def test_helpers_are_inlined(helper: str, call: str, written: str) -> None:
    functions = read(helper, call)
    found = inlined(functions["k1"], functions)
    assert verify_function(found) == ()
    assert found.body == read("return x", written)["k1"].body


def test_a_helper_that_returns_from_a_branch_stays() -> None:
    functions = read("if B > 2:\n    return x\nreturn x + 1", "tl.store(x, k0(tl.load(x), n, B))")
    assert inlined(functions["k1"], functions) == functions["k1"]


def test_the_dump_shows_shapes_phases_and_memory() -> None:
    assert dump(read("i = tl.arange(0, B * 2)\ntl.store(x + i, tl.load(x + i, mask=i < n) + n)")["k0"]) == (
        """\
kernel @k0(%0 = x, %1 = n, %2 = B: static)
  %3: static = mul lhs=%2, rhs=2
  %4: [%3] = arange start=0, end=%3
  %5: [%3] = add lhs=%0, rhs=%4
  %6: [%3] = lt lhs=%4, rhs=%1
  %7: [%3] = load pointer=%5, mask=%6  m0
  %8: [%3] = add lhs=%7, rhs=%1
  store pointer=%5, value=%8  m0 -> m1"""
    )


def test_what_is_loaded_late_is_not_loaded_before_what_comes_first() -> None:
    text = """@triton.jit
def k(x, w, out, B: tl.constexpr):
    lanes = tl.arange(0, B)
    value = tl.load(x + lanes)
    mean = tl.sum(value, 0) / B
    weight = tl.load(w + lanes)
    tl.store(out + lanes, (value - mean) * weight)"""
    kinds = [one.kind for one in parse_function(text).walk()]
    assert kinds.index("sum") < len(kinds) - 1 - kinds[::-1].index("load")
