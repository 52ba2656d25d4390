"""`triton-matmul`: matrix products without a library."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

from kernelwright.backend.launch.host_trace import HostTrace
from kernelwright.ir.errors import check_choice
from kernelwright.ir.exploration import Exploration, Phase, Variant
from kernelwright.ir.passes import Context, Declined, Keeps, Pass, register
from kernelwright.ir.values import Kernel, KernelModule, Level
from kernelwright.midend.analysis.host_code import fresh_symbol, repeated_on_straight_host, with_kernel, with_statements
from kernelwright.midend.templates.matmul import matmul_grid, matmul_meta, matmul_text
from kernelwright.midend.templates.products import Product, find_products
from kernelwright.midend.templates.triangles import kept_half

#: How fp32 may be multiplied.
PRECISIONS = ("ieee", "tf32x3")
_STEMS = {
    "aten.mm": "matmul",
    "aten.bmm": "batched_matmul",
    "aten.addmm": "matmul_add",
    "aten.baddbmm": "batched_matmul_add",
}


@register
@dataclass(frozen=True)
class TritonMatmul(Pass):
    """Compute matrix products in a kernel that can take an epilogue and orders its tiles for the L2 cache.

    Legal for mm, bmm, addmm and baddbmm with factors of one, any strides, in fp32, fp16 and bf16. Where the next kernel
    keeps one triangle of a product, and nobody else reads it, tiles outside of that are not computed.

    precision: of fp32 products: ieee, or tf32x3, in which tensor cores multiply parts in TF32 with the error of fp32;
    where the reference's numerics let products be TF32, they are. pack: copy a factor whose summed axis does not lie
    last, as tensor cores want TF32.
    """

    name: ClassVar[str] = "triton-matmul"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON
    needs: ClassVar[str] = "a product of matrices that a library computes"
    changes: ClassVar[str] = "a kernel of tiles computes the product, or the triangle of it that the next kernel keeps"
    keeps: ClassVar[Keeps | None] = Keeps.REASSOCIATED
    explore = Exploration(Phase.TEMPLATE, after=("implicit-gemm",), variants=(Variant("pack=true"),))

    precision: str = "tf32x3"
    pack: bool = False

    def __post_init__(self) -> None:
        check_choice("precision", self.precision, PRECISIONS)

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:
        """The module with such kernels; the same object where there is no product."""
        return repeated_on_straight_host(module, self._one_replaced, ctx)

    def _one_replaced(
        self, module: KernelModule, trace: HostTrace, declined: Callable[[Declined], None]
    ) -> KernelModule | None:
        product = next(find_products(trace), None)
        if product is None:
            declined(Declined(f"it needs {self.needs}"))
            return None
        precision = "tf32" if module.reference.numerics == "tf32" else self.precision
        return _replace(module, trace, product, precision, self.pack)


def _replace(module: KernelModule, trace: HostTrace, product: Product, precision: str, pack: bool) -> KernelModule:
    symbol = fresh_symbol(module, _STEMS[product.covers])
    half = kept_half(module, trace, product)
    product, packed = _packed(product, symbol) if pack else (product, [])
    source = matmul_text(product, half, precision).replace("KERNEL", symbol)
    kernel = Kernel(symbol, source, matmul_meta(product, precision), (product.covers,))
    arguments = ", ".join(operand for operand in product.operands if operand)
    launch = f"{symbol}[{matmul_grid(product).replace('META', kernel.meta_name)}]({arguments}, **{kernel.meta_name})"
    return with_kernel(with_statements(module, trace, {product.index: [*packed, launch]}), kernel)


def _packed(product: Product, symbol: str) -> tuple[Product, list[str]]:
    """The product of copies of those factors whose summed axis does not lie last, and what makes the copies."""
    lines = list[str]()
    first, second, *others = product.operands
    _, rows, columns, inner = product.sizes
    a, b = product.a, product.b
    if a.strides[2] != 1:
        lines.append(f"{symbol}_a = {first}.contiguous()")
        first, a = f"{symbol}_a", replace(a, strides=(rows * inner, inner, 1))
    if b.strides[1] != 1:
        lines.append(f"{symbol}_b = {second}.transpose(-2, -1).contiguous()")
        second, b = f"{symbol}_b", replace(b, strides=(columns * inner, 1, inner))
    return replace(product, a=a, b=b, operands=(first, second, others[0], others[1])), lines
