"""The text of a matrix product: one program computes a tile of the result."""

from collections.abc import Iterator

from kernelwright.ir.values import Scalar
from kernelwright.midend.templates.products import Product
from kernelwright.midend.templates.writing import total

#: The larger sides of a tile, at first, and the sides that `tl.dot` takes at least; what a step sums, by type.
SIDE, LEAST_SIDE = 128, 16
STEP = {"f32": 32, "f16": 64, "bf16": 64}
#: What is summed for longer steps of TF32's parts to pay, and such a step.
LONG, LONG_STEP = 256, 64
#: Rows of tiles that are computed together, so that the columns they share stay in the L2 cache.
GROUP = 8
#: Halves of the result that may be left at zero: what a tile must meet, by operator.
HALVES = {
    "": "",
    "lower": "column * NBLOCK < (row + 1) * MBLOCK",
    "upper": "(column + 1) * NBLOCK > row * MBLOCK",
}


def matmul_text(product: Product, half: str, precision: str) -> str:
    """The kernel's text, its name KERNEL; tiles outside of `half` of the result are zeros. `precision`: of fp32."""
    added = "added_ptr, " if product.added else ""
    blocks = ", ".join(f"{name}: tl.constexpr" for name in ("MBLOCK", "NBLOCK", "KBLOCK", "GROUP"))
    body = [*_position(product), *_sums(product, half, precision), *_stores(product)]
    return "\n".join([f"@triton.jit\ndef KERNEL(a_ptr, b_ptr, {added}out_ptr, {blocks}):", *(f"    {s}" for s in body)])


def matmul_meta(product: Product, precision: str) -> tuple[tuple[str, Scalar], ...]:
    """Launch options to begin with."""
    _, rows, columns, inner = product.sizes
    single = product.a.dtype == "f32"
    # In fp32 the parts of both factors fill the registers of wider tiles; measured on an H200, parts of TF32 that are
    # summed for long want both.
    long = single and precision != "ieee" and min(rows, columns) >= SIDE and inner >= LONG
    most = (SIDE, SIDE // 2 if single and not long else SIDE)
    sizes = zip((rows, columns), most, strict=True)
    sides = [min(max(1 << (size - 1).bit_length(), LEAST_SIDE), side) for size, side in sizes]
    warps = max(min(sides[0] * sides[1] // 2048, 8), 1)
    step = LONG_STEP if long else STEP[product.a.dtype]
    blocks = (("MBLOCK", sides[0]), ("NBLOCK", sides[1]), ("KBLOCK", step), ("GROUP", GROUP))
    return (*blocks, ("num_warps", warps), ("num_stages", 3))


def matmul_grid(product: Product) -> str:
    """The grid's text, in which META stands for the launch options."""
    batches, rows, columns, _ = product.sizes
    tiles = f"triton.cdiv({rows}, META['MBLOCK']) * triton.cdiv({columns}, META['NBLOCK'])"
    return f"{tiles}, {batches}" if batches > 1 else f"{tiles},"


def _position(product: Product) -> Iterator[str]:
    """Which tile a program has: a group of rows goes through all columns before the next begins."""
    batches, rows, columns, _ = product.sizes
    yield f"rows: tl.constexpr = ({rows} + MBLOCK - 1) // MBLOCK"
    yield f"columns: tl.constexpr = ({columns} + NBLOCK - 1) // NBLOCK"
    yield "tile = tl.program_id(0)"
    if batches > 1:
        yield "batch = tl.program_id(1)"
    yield "first_row = tile // (GROUP * columns) * GROUP"
    yield "together = tl.minimum(rows - first_row, GROUP)"
    yield "row = first_row + tile % (GROUP * columns) % together"
    yield "column = tile % (GROUP * columns) // together"
    yield "m = row * MBLOCK + tl.arange(0, MBLOCK)[:, None]"
    yield "n = column * NBLOCK + tl.arange(0, NBLOCK)[None, :]"


def _sums(product: Product, half: str, precision: str) -> Iterator[str]:
    batches, rows, columns, inner = product.sizes
    a, b = product.a.strides, product.b.strides
    batch = [(stride if batches > 1 else 0, "batch") for stride in (a[0], b[0])]
    yield f"a_at = a_ptr + ({total(batch[0], (a[1], 'm'))})"
    yield f"b_at = b_ptr + ({total(batch[1], (b[2], 'n'))})"
    yield "acc = tl.zeros([MBLOCK, NBLOCK], tl.float32)"
    stop = str(inner)
    if half:
        stop = "stop"
        yield f"stop = tl.where({HALVES[half]}, {inner}, 0)"
    yield f"for first in range(0, {stop}, KBLOCK):"
    yield "    k = first + tl.arange(0, KBLOCK)"
    a_mask, b_mask = f"(m < {rows}) & (k[None, :] < {inner})", f"(k[:, None] < {inner}) & (n < {columns})"
    yield f"    a = tl.load(a_at + {total((a[2], 'k[None, :]'))}, {a_mask}, other=0.0)"
    yield f"    b = tl.load(b_at + {total((b[1], 'k[:, None]'))}, {b_mask}, other=0.0)"
    yield f'    acc = tl.dot(a, b, acc, input_precision="{precision}")'


def _stores(product: Product) -> Iterator[str]:
    batches, rows, columns, _ = product.sizes
    yield f"inside = (m < {rows}) & (n < {columns})"
    if product.added:
        added = product.added.strides
        at = total((added[0] if batches > 1 else 0, "batch"), (added[1], "m"), (added[2], "n"))
        full = added[1] and added[2]
        mask = "inside" if full else (f"m < {rows}" if added[1] else f"n < {columns}")
        yield f"acc += tl.load(added_ptr + ({at}){f', {mask}, other=0.0' if added[1] or added[2] else ''})"
    out = product.out.strides
    at = total((out[0] if batches > 1 else 0, "batch"), (out[1], "m"), (out[2], "n"))
    yield f"tl.store(out_ptr + ({at}), acc, inside)"
