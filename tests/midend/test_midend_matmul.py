"""Matrix products by templates: any shape and strides, epilogues, triangles."""

from dataclasses import replace

import pytest
from programs import assert_right, lowered

from kernelwright.ir.errors import UserError
from kernelwright.ir.passes import Context
from kernelwright.ir.verifier import extern_ops, launched
from kernelwright.midend.fusion.fuse_epilogue import FuseEpilogue
from kernelwright.midend.templates.diagonal_products import DiagonalProducts
from kernelwright.midend.templates.triton_matmul import TritonMatmul

H200 = Context(target="h200")

PRODUCTS = {
    "square": ("a @ b", [(130, 131), (131, 129)]),
    "tall and skinny": ("a @ b", [(300, 5), (5, 260)]),
    "one row": ("a @ b", [(1, 70), (70, 33)]),
    "transposed": ("a.T @ b.T", [(40, 33), (50, 40)]),
    "batched": ("torch.bmm(a, b.mT)", [(3, 20, 18), (3, 35, 18)]),
    "broadcast": ("a @ b", [(2, 3, 17, 9), (9, 21)]),
    "added": ("torch.addmm(c, a, b)", [(18, 20), (20, 34), (34,)]),
    "added column": ("torch.addmm(c, a, b)", [(18, 20), (20, 34), (18, 1)]),
}


@pytest.mark.parametrize("case", PRODUCTS.values(), ids=PRODUCTS)
def test_products(case):
    forward, shapes = case
    before = lowered(forward, shapes)
    after = TritonMatmul().run(before, H200)
    assert extern_ops(before) and not extern_ops(after)
    assert 'input_precision="tf32x3"' in after.kernels[-1].source
    assert_right(after, seeds=(0,))


@pytest.mark.parametrize("case", ["transposed", "batched", "broadcast", "added"])
def test_packed_factors_are_read_along_what_is_summed(case):
    forward, shapes = PRODUCTS[case]
    after = TritonMatmul(precision="ieee", pack=True).run(lowered(forward, shapes), H200)
    assert 'input_precision="ieee"' in after.kernels[-1].source
    assert ".contiguous()" in after.launcher.source or case == "batched"
    assert_right(after, seeds=(0,))


def test_a_precision_that_is_none():
    with pytest.raises(UserError, match="precision='bf16': choose from ieee, tf32x3"):
        TritonMatmul(precision="bf16")


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision(dtype):
    after = TritonMatmul().run(lowered("F.linear(a, b, c)", [(33, 70), (20, 70), (20,)], dtype=dtype), H200)
    assert not extern_ops(after)
    assert_right(after, seeds=(0,))


def test_a_linear_layer_takes_its_activation():
    before = lowered("F.gelu(self.linear(a)) * 2", [(50, 40)], "self.linear = nn.Linear(40, 70)")
    after = FuseEpilogue().run(TritonMatmul().run(before, H200), H200)
    assert len(launched(after)) == 1 and not extern_ops(after)
    assert_right(after)


@pytest.mark.parametrize("half", ["tril", "triu"])
def test_half_a_product_is_half_the_work(half):
    before = lowered(f"torch.{half}(a @ b)", [(200, 40), (40, 200)])
    after = TritonMatmul().run(before, H200)
    assert "stop = tl.where" in after.kernels[-1].source
    assert_right(after)
    assert_right(FuseEpilogue().run(after, H200))


def test_a_half_is_known_without_the_casts_of_some_versions_of_inductor():
    before = lowered("torch.tril(a @ b)", [(200, 40), (40, 200)])
    plain = (
        before.kernels[-1]
        .source.replace("(x0 + -1 * x1).to(tl.int64)", "x0 + -1 * x1")
        .replace("add.to(tl.int64)", "add")
    )
    assert ".to(" not in plain
    before = replace(before, kernels=(*before.kernels[:-1], replace(before.kernels[-1], source=plain)))
    assert "stop = tl.where" in TritonMatmul().run(before, H200).kernels[-1].source


@pytest.mark.parametrize(
    "forward", ["torch.tril(a @ b) + 1", "torch.tril(a @ b).sum() + (a @ b)", "torch.triu(a @ b).sum(1)"]
)
def test_what_becomes_of_a_triangle_does_not_matter(forward):
    after = TritonMatmul().run(lowered(forward, [(40, 40), (40, 40)]), H200)
    assert ["stop = tl.where" in kernel.source for kernel in after.kernels].count(True) == 1
    assert_right(after, seeds=(0,))


@pytest.mark.parametrize(
    "spelt",
    [
        "keep = (xindex % 200) < 1 + xindex // 200",
        "keep = (xindex // 200).to(tl.int64) >= xindex % 200",
        "keep = (xindex // 200 - xindex % 200 >= 0) & (xindex < 40000)",
    ],
)
def test_a_half_is_known_however_it_is_spelt(spelt):
    assert "stop = tl.where" in _tril_spelt(spelt).kernels[-1].source


@pytest.mark.parametrize(
    "spelt",
    [
        "keep = xindex % 200 < 2 + xindex // 200",
        "keep = xindex % 200 <= xindex // 100",
        "keep = (xindex % 200 <= xindex // 200) | (xindex < 5)",
        "keep = xindex % 200 >= 0",
    ],
)
def test_other_conditions_are_no_half(spelt):
    assert "stop = tl.where" not in _tril_spelt(spelt).kernels[-1].source


def _tril_spelt(keep):
    """A product of which a kernel keeps so much, by `triton-matmul`."""
    before = lowered("torch.tril(a @ b)", [(200, 40), (40, 200)])
    last = before.kernels[-1]
    lines = [
        last.source.split("\n    ")[0],
        "xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)",
        keep,
        "value = tl.load(buf0_ptr + xindex, xindex < 40000)",
        "tl.store(out_ptr + xindex, tl.where(keep, value, 0.0), xindex < 40000)",
    ]
    spelt = replace(last, source="\n    ".join(lines))
    return TritonMatmul().run(replace(before, kernels=(*before.kernels[:-1], spelt)), H200)


@pytest.mark.parametrize("forward", ["torch.tril(a @ b, 1)", "[torch.tril(c) + c for c in [a @ b]][0]"])
def test_other_triangles_are_computed_whole(forward):
    after = TritonMatmul().run(lowered(forward, [(40, 40), (40, 40)]), H200)
    assert not any("stop = tl.where" in kernel.source for kernel in after.kernels)
    assert_right(after, seeds=(0,))


def test_other_operators_stay():
    before = lowered("torch.addmm(c, a, b, beta=0.5)", [(18, 20), (20, 34), (34,)])
    assert extern_ops(TritonMatmul().run(before, H200)) == extern_ops(before) or not extern_ops(before)
    before = lowered("a @ b", [(8, 9), (9, 8)], dtype="float64")
    assert TritonMatmul().run(before, H200) is before


DIAGONAL = {
    "rows": ("torch.diag(a) @ b", [(50,), (50, 70)]),
    "columns": ("b @ torch.diag(a)", [(33,), (129, 33)]),
    "rows of a transposed one": ("torch.diag(a) @ b.T", [(40,), (21, 40)]),
    "one": ("torch.diag(a) @ b", [(2,), (2, 3)]),
}


@pytest.mark.parametrize("case", DIAGONAL.values(), ids=DIAGONAL)
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_diagonal_factors_scale(case, dtype):
    forward, shapes = case
    before = lowered(forward, shapes, dtype=dtype)
    after = DiagonalProducts().run(before, H200)
    assert extern_ops(before) and not extern_ops(after)
    assert len(launched(after)) == 1 and "tl.dot" not in after.kernels[-1].source
    assert_right(after)


@pytest.mark.parametrize("forward", ["torch.diag(a, 1) @ c", "torch.diag(a) @ b + torch.diag(a)", "torch.tril(b) @ b"])
def test_other_factors_do_not(forward):
    before = lowered(forward, [(20,), (20, 20), (21, 20)])
    assert DiagonalProducts().run(before, H200) is before


def test_a_diagonal_matrix_is_known_however_it_is_made():
    before = lowered("torch.diag(a) @ b", [(50,), (50, 70)])
    maker = before.kernels[0]
    lines = [
        maker.source.split("\n    ")[0],
        "at = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)",
        "row = at // 50",
        "{value}",
        "tl.store(buf0_ptr + at, tl.where(row == at % 50, value, 0), at < 2500)",
    ]
    for value, known in {
        "value = tl.load(a_ptr + row, at < 2500)": True,
        "value = tl.load(a_ptr + at % 50)": True,
        "value = tl.load(a_ptr + row, at < 100, other=0.0)": False,
        "value = tl.load(a_ptr + row, at < 2500) + 1": False,
        "value = tl.load(a_ptr + at // 51, at < 2500)": False,
    }.items():
        spelt = replace(maker, source="\n    ".join(lines).replace("{value}", value), covers=())
        module = replace(before, kernels=(spelt, *before.kernels[1:]))
        after = DiagonalProducts().run(module, H200)
        assert (after is not module) == known, value
        if known:
            assert after.kernels[-1].covers == ("aten.mm",)
            assert_right(after, seeds=(0,))
