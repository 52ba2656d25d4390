"""`diagonal-products`: a product with a diagonal matrix scales rows or columns."""

from dataclasses import dataclass
from typing import ClassVar

from kernelwright.backend.launch.host_trace import HostTrace, trace_host
from kernelwright.ir.exploration import Exploration, Phase
from kernelwright.ir.kernel.analysis.accesses import Access
from kernelwright.ir.kernel.merging.reading import UnfitError
from kernelwright.ir.kernel.values import Constant
from kernelwright.ir.passes import Context, Declined, Keeps, Pass, register
from kernelwright.ir.values import Kernel, KernelModule, Level, Scalar
from kernelwright.midend.analysis.host_code import (
    NOT_STRAIGHT,
    fresh_symbol,
    with_kernel,
    with_statements,
    without_idle_kernels,
    without_tensors,
)
from kernelwright.midend.analysis.launches import HostLaunch, find_launches, is_made_for, users
from kernelwright.midend.kernel_pass import part_of
from kernelwright.midend.templates.products import Product, find_products
from kernelwright.midend.templates.triangles import SquareKernel
from kernelwright.midend.templates.writing import total

_META: tuple[tuple[str, Scalar], ...] = (("XBLOCK", 1024), ("num_warps", 4))


@register
@dataclass(frozen=True)
class DiagonalProducts(Pass):
    """Scale rows (or columns) instead of multiplying by the diagonal matrix that `torch.diag` makes of a vector.

    Legal for mm with a factor that is made for it alone from a vector, on the main diagonal; an algebraic rewrite that
    keeps every finite result to the bit, and takes the other factor to be finite: zeros of the diagonal matrix no
    longer meet its infinities. Expected, not measured: from a product of matrices to one pass over memory.
    """

    name: ClassVar[str] = "diagonal-products"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON
    needs: ClassVar[str] = "a product of two matrices, one of which a kernel makes of a vector and for it alone"
    changes: ClassVar[str] = "one kernel scales the rows or columns of the other matrix"
    keeps: ClassVar[Keeps] = Keeps.EXACT
    explore = Exploration(Phase.TEMPLATE)

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:
        """The module without such products; the same object where there is none."""
        given = module
        while (trace := trace_host(module)) is not None:
            for product in find_products(trace):
                rewritten = _scaled(module, trace, product)
                if rewritten is not None:
                    module = rewritten
                    break
            else:
                break
        if module is given:
            ctx.declined(Declined(NOT_STRAIGHT if trace is None else f"it needs {self.needs}"))
        return module


def _scaled(module: KernelModule, trace: HostTrace, product: Product) -> KernelModule | None:
    """The module with one launch for the product, if a factor of it is diagonal."""
    if product.sizes[0] > 1 or product.added is not None:
        return None
    for left, name in ((True, product.operands[0]), (False, product.operands[1])):
        maker = _maker(module, trace, product, name)
        if maker is not None:
            return _replace(module, trace, product, maker, left)
    return None


def _maker(module: KernelModule, trace: HostTrace, product: Product, name: str) -> HostLaunch | None:
    """The launch that makes a factor for this product alone, as a diagonal matrix."""
    for launch in find_launches(module, trace):
        given = list(launch.given.values())
        # It is allocated, made and multiplied.
        alone = is_made_for(trace, name, launch.index, product.index) and len(users(trace, name)) == 3
        if given[1:] == [name] and launch.index < product.index and alone and name != given[0]:
            return launch if _is_diagonal(module, trace, launch) else None
    return None


def _is_diagonal(module: KernelModule, trace: HostTrace, launch: HostLaunch) -> bool:
    """Whether a kernel puts a vector on the main diagonal of a matrix, and zeros around it."""
    vector, matrix = (trace.spec(launch.index, argument) for argument in launch.arguments)
    if vector is None or matrix is None or len(vector.shape) != 1 or matrix.shape != (vector.shape[0],) * 2:
        return False
    if (vector.dtype, vector.strides, matrix.strides) != (matrix.dtype, (1,), (matrix.shape[0], 1)):
        return False
    read_as, made_as = launch.parameters
    try:
        kernel = SquareKernel(part_of(module, launch), made_as, matrix.shape[0])
    except UnfitError:
        return False
    return bool(kernel.accesses) and all(
        _stores_diagonal(kernel, one, read_as, vector.dtype) for one in kernel.accesses or ()
    )


def _stores_diagonal(kernel: SquareKernel, store: Access, vector: str, dtype: str) -> bool:
    """Whether a store puts elements of the vector on the diagonal, and zeros elsewhere."""
    chosen = kernel.uncast(store.operation.get("value"), dtype)
    if store.operation.kind != "store" or chosen is None or chosen.kind != "where":
        return False
    condition, element, zero = chosen.operands
    load, filled = kernel.uncast(element, dtype), kernel.uncast(zero, dtype)
    access = kernel.all.get(id(load))
    place = kernel.place(store.index)
    if access is None or place is None or access.index is None or access.operation.kind != "load":
        return False
    number = filled.get("value") if filled is not None and filled.kind == "full" else zero
    return (
        kernel.left(store.index, condition) == "diagonal"
        and access.base == kernel.function.argument(vector)
        and kernel.counters.index(access.index) in place
        and set(access.conditions) <= set(store.conditions)
        and isinstance(number, Constant)
        and number.number == 0
    )


def _replace(
    module: KernelModule,
    trace: HostTrace,
    product: Product,
    maker: HostLaunch,
    left: bool,
) -> KernelModule:
    scaled, other = (product.b, product.operands[1]) if left else (product.a, product.operands[0])
    operands = (maker.given[maker.parameters[0]], other)
    _, rows, columns, _ = product.sizes
    symbol = fresh_symbol(module, "scale_rows" if left else "scale_columns")
    at, out = scaled.strides, product.out.strides
    lines = [
        "index = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)",
        f"inside = index < {rows * columns}",
        f"n = index % {columns}",
        f"m = index // {columns}",
        f"factor = tl.load(vector_ptr + {'m' if left else 'n'}, inside)",
        f"value = tl.load(matrix_ptr + ({total((at[1], 'm'), (at[2], 'n'))}), inside)",
        f"tl.store(out_ptr + ({total((out[1], 'm'), (out[2], 'n'))}), factor * value, inside)",
    ]
    head = f"@triton.jit\ndef {symbol}(vector_ptr, matrix_ptr, out_ptr, XBLOCK: tl.constexpr):"
    kernel = Kernel(
        symbol, "\n".join([head, *(f"    {line}" for line in lines)]), _META, (*maker.kernel.covers, "aten.mm")
    )
    grid = f"triton.cdiv({rows * columns}, {kernel.meta_name}['XBLOCK']),"
    launch = f"{symbol}[{grid}]({', '.join([*operands, product.operands[3], f'**{kernel.meta_name}'])})"
    diagonal = maker.given[maker.parameters[1]]
    texts = {maker.index: [], product.index: [launch], **without_tensors(trace, (diagonal,))}
    return without_idle_kernels(with_kernel(with_statements(module, trace, texts), kernel))
