# reference: diag_matmul
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def scale_rows_kernel(d_ptr, b_ptr, out_ptr, M, BLOCK: tl.constexpr):
    # diag(d) @ b multiplies row i of b by d[i]: the matmul is not needed at all
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    d = tl.load(d_ptr + row)
    b = tl.load(b_ptr + row * M + cols, mask=cols < M)
    tl.store(out_ptr + row * M + cols, d * b, mask=cols < M)


class ModelNew(nn.Module):
    """torch.diag(d) @ b without the product: rows are scaled."""

    def __init__(self):
        super().__init__()

    def forward(self, d, b):
        n, m = b.shape
        out = torch.empty((n, m), device=b.device, dtype=b.dtype)
        scale_rows_kernel[(n,)](d, b, out, m, BLOCK=triton.next_power_of_2(m))
        return out
