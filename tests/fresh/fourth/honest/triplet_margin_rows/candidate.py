import torch
import triton
import triton.language as tl


@triton.jit
def triplet_rows(a_ptr, p_ptr, n_ptr, o_ptr, D, margin, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    ok = c < D
    a = tl.load(a_ptr + row * D + c, mask=ok, other=0.0)
    p = tl.load(p_ptr + row * D + c, mask=ok, other=0.0)
    n = tl.load(n_ptr + row * D + c, mask=ok, other=0.0)
    dp = tl.where(ok, a - p + eps, 0.0)
    dn = tl.where(ok, a - n + eps, 0.0)
    near = tl.sqrt(tl.sum(dp * dp, 0))
    far = tl.sqrt(tl.sum(dn * dn, 0))
    tl.store(o_ptr + row, tl.maximum(margin + near - far, 0.0))


@triton.jit
def mean_kernel(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(o_ptr, tl.sum(tl.load(x_ptr + i, mask=i < n, other=0.0), 0) / n)


def forward(anchor, positive, negative):
    rows, width = anchor.shape
    loss = anchor.new_empty((rows,))
    out = anchor.new_empty(())
    triplet_rows[(rows,)](anchor, positive, negative, loss, width, 0.7, 1e-6, BLOCK=triton.next_power_of_2(width))
    mean_kernel[(1,)](loss, out, rows, BLOCK=triton.next_power_of_2(rows))
    return out
