"""Edits of kernels: each gives the kernel that a person would have written in its place."""

import textwrap

import pytest

from kernelwright.ir.errors import PassError
from kernelwright.ir.kernel.analysis.programs import varying_values
from kernelwright.ir.kernel.rewriting import Rewriting
from kernelwright.ir.kernel.text.parsing import parse_function
from kernelwright.ir.kernel.values import Constant, Function, Operation

BODY = "i = tl.arange(0, B)\nv = tl.load(x + i, mask=i < n, other=0.0)\ntl.store(x + i, v * 2.0, mask=i < n)"
LOOP = "acc = 0.0\nfor k in range(0, n, 2):\n    if n > 3:\n        tl.store(x + k, acc)\n    acc += tl.load(x + k)\n"
LOOP += "tl.store(x, acc)"


def read(body: str, parameters: str = "x, n, B: tl.constexpr") -> Function:
    return parse_function(f"@triton.jit\ndef k({parameters}):\n{textwrap.indent(body, '    ')}\n")


def only(function: Function, kind: str) -> Operation:
    (found,) = (one for one in function.walk() if one.kind == kind)
    return found


def test_operands_are_given_and_taken_away() -> None:
    function = read(BODY)
    edits = Rewriting(function)
    edits.change(only(function, "load"), eviction_policy=Constant("'evict_last'"), cache_modifier=Constant("'.cg'"))
    edits.change(only(function, "load"), mask=None, other=None)
    hinted = "tl.load(x + i, eviction_policy='evict_last', cache_modifier='.cg')"
    assert edits.done() == read(BODY.replace("tl.load(x + i, mask=i < n, other=0.0)", hinted))


def test_no_edits_give_the_same_object() -> None:
    function = read(BODY)
    assert Rewriting(function).done() is function


def test_a_value_is_replaced_everywhere() -> None:
    function = read(BODY)
    edits = Rewriting(function)
    load = only(function, "load")
    edits.replace(load.result, edits.compute(only(function, "mul"), "exp", x=Constant("1.0")))
    edits.erase(load)
    text = "i = tl.arange(0, B)\ntl.store(x + i, tl.exp(1.0) * 2.0, mask=i < n)"
    assert edits.done() == read(text)


def test_operations_are_inserted_in_order() -> None:
    function = read(BODY)
    edits = Rewriting(function)
    store, pointer = only(function, "store"), only(function, "load").operands[0]
    for number in ("1", "2"):
        edits.after(store, edits.make("store", value=Constant(number), pointer=pointer))
    edits.before(store, edits.make("debug_barrier"))
    barred = BODY.replace("tl.store", "tl.debug_barrier()\ntl.store")
    assert edits.done() == read(barred + "\ntl.store(x + i, 1)\ntl.store(x + i, 2)")


def test_what_nothing_uses_goes() -> None:
    function = read(BODY)
    edits = Rewriting(function)
    edits.erase(only(function, "store"))
    assert edits.done() == read("pass")


def test_bounds_and_options_of_a_loop_change() -> None:
    function = read(LOOP)
    loop = only(function, "for")
    edits = Rewriting(function)
    edits.change(loop, start=Constant("4"), step=function.argument("B"), num_stages=Constant("3"))
    assert edits.done() == read(LOOP.replace("range(0, n, 2)", "tl.range(4, n, B, num_stages=3)"))


def test_one_turn_takes_the_place_of_a_loop() -> None:
    function = read(LOOP)
    edits = Rewriting(function)
    edits.unroll(only(function, "for"), Constant("0"))
    # Triton makes a tensor of what a loop carries; one turn of it needs none.
    turn = "acc = 0.0\nif n > 3:\n    tl.store(x + 0, acc)\nacc += tl.load(x + 0)\ntl.store(x, acc)"
    assert edits.done() == read(turn)


def test_a_copy_has_values_of_its_own() -> None:
    function = read(LOOP)
    loop = only(function, "for")
    edits = Rewriting(function)
    for counter in ("7", "9"):
        operations, _ = edits.clone(loop.regions[0], (Constant(counter), Constant("1.0")))
        edits.after(loop, *operations)
    again = "".join(f"\nif n > 3:\n    tl.store(x + {number}, 1.0)" for number in (7, 9))
    assert edits.done() == read(LOOP.replace("\ntl.store(x, acc)", again + "\ntl.store(x, acc)"))


def test_a_parameter_is_dropped_once_nothing_uses_it() -> None:
    function = read(BODY)
    edits = Rewriting(function)
    edits.replace(function.argument("B"), Constant("64"))
    edits.drop("B")
    assert edits.done() == read(BODY.replace("B", "64"), "x, n")


@pytest.mark.parametrize("what", ["erased", "dropped", "too early", "no such operand"])
def test_an_unsound_kernel_is_an_error(what: str) -> None:
    function = read(BODY)
    edits = Rewriting(function)
    load, store = only(function, "load"), only(function, "store")
    if what == "erased":
        edits.erase(load)
    elif what == "dropped":
        edits.drop("n")
    elif what == "too early":
        edits.before(load, edits.make("store", pointer=load.operands[0], value=load.result))
    else:
        edits.change(store, other=Constant("1"))
    with pytest.raises(PassError, match="a rewrite left an unsound kernel: @k: "):
        edits.done()


def test_values_that_differ_between_programs() -> None:
    body = """
row = tl.program_id(0)
i = tl.arange(0, B)
same = i
while n > tl.max(same, 0):
    same += 2
moved = i
for k in range(row):
    moved += 2
chosen = i if row > 2 else i + 1
either = i
if n > 3:
    either = i + 4
loaded = tl.load(x + i).to(tl.int32)
tl.store(x + same, 0)
tl.store(x + moved, 1)
tl.store(x + chosen, 2)
tl.store(x + either, 3)
tl.store(x + loaded, 4)
"""
    function = read(body)
    varying = varying_values(function)
    stores = [one for one in function.walk() if one.kind == "store"]
    assert [str(one.get("value")) for one in stores if one.get("pointer") in varying] == ["1", "2", "4"]
