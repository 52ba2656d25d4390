"""Reading TTIR: regions, types, attributes; and values computed from it."""

import pytest

from kernelwright.backend.compile.ttir import element_of, numel, parameters, parse, shape_of
from kernelwright.backend.cost.work import work_of
from kernelwright.backend.launch.execute import Launch
from kernelwright.ir.values import TensorSpec

TEXT = """module {
  tt.func public @k(%x_ptr: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("x"(#loc)), %n: i32 loc("n"(#loc))) {
    %c0 = arith.constant 0 : i32 loc(#loc1)
    %c8 = arith.constant 8 : i32 loc(#loc1)
    %zero = arith.constant dense<0.0> : tensor<8xf32> loc(#loc1)
    %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32> loc(callsite(#loc2 at #loc3))
    %s:2 = scf.for %i = %c0 to %n step %c8 iter_args(%a = %zero, %b = %c0) -> (tensor<8xf32>, i32)  : i32 {
      %o = tt.splat %i : i32 -> tensor<8xi32> loc(#loc)
      %p = arith.addi %o, %r : tensor<8xi32> loc(#loc)
      %q = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>> loc(#loc)
      %w = tt.addptr %q, %p : tensor<8x!tt.ptr<f32>>, tensor<8xi32> loc(#loc)
      %v = tt.load %w : tensor<8x!tt.ptr<f32>> loc(#loc)
      %t = arith.addf %a, %v : tensor<8xf32> loc(#loc)
      scf.yield %t, %i : tensor<8xf32>, i32 loc(#loc)
    } {tt.num_stages = 2 : i32} loc(#loc)
    %m = "tt.reduce"(%s#0) <{axis = 0 : i32}> ({
    ^bb0(%e: f32 loc(#loc), %f: f32 loc(#loc)):
      %g = arith.addf %e, %f : f32 loc(#loc)
      tt.reduce.return %g : f32 loc(#loc)
    }) : (tensor<8xf32>) -> f32 loc(#loc)
    %c = arith.cmpi slt, %n, %c8 : i32 loc(#loc)
    scf.if %c {
      tt.store %x_ptr, %m : !tt.ptr<f32> loc(#loc)
    } else {
      %u = math.exp %m : f32 loc(#loc)
      tt.store %x_ptr, %u : !tt.ptr<f32> loc(#loc)
    } loc(#loc)
    tt.return loc(#loc)
  } loc(#loc)
} loc(#loc)
"""


def test_regions_become_a_tree():
    operations = parse(TEXT)
    assert [operation.name for operation in operations][-5:] == [
        "scf.for", "tt.reduce", "arith.cmpi", "scf.if", "tt.return",
    ]  # fmt: skip
    loop, reduction, _, branch, _ = operations[-5:]
    assert loop.results == ("%s#0", "%s#1") and [o.name for o in loop.regions[0]][-1] == "scf.yield"
    assert reduction.operands == ("%s#0",) and numel(reduction.operand_type()) == 8
    assert reduction.attribute("axis", 7) == 0
    assert [[o.name for o in region] for region in branch.regions] == [["tt.store"], ["math.exp", "tt.store"]]
    assert parameters(TEXT) == ["%x_ptr", "%n"]


@pytest.mark.parametrize(
    ("kind", "shape", "element"),
    [
        ("tensor<8x512x!tt.ptr<f32>>", (8, 512), "f32"),
        ("tensor<16xbf16>", (16,), "bf16"),
        ("!tt.ptr<i64>", (), "i64"),
        ("i1", (), "i1"),
    ],
)
def test_types(kind, shape, element):
    assert shape_of(kind) == shape and element_of(kind) == element


@pytest.mark.parametrize(("n", "rounds"), [(64, 8), (60, 8), (4, 1), (0, 0)])
def test_work_follows_loops_and_branches(n, rounds):
    launch = Launch("k", (1, 1, 1), (("x_ptr", TensorSpec.contiguous("x", "f32", (64,))), ("n", n)), {}, {})
    work = work_of(TEXT, launch, 32)
    assert work.loaded.get(0, 0) == 32 * rounds and work.stored == {0: 32}
    assert work.rounds == rounds and work.syncs == 1
    assert work.flops == 8 * rounds + 8 + (n >= 8)
