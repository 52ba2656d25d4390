# reference: row_absmax
# way: extra-pass
# faster: the row is read for its largest magnitude and again for the output
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def absmax_quant(x_ptr, q_ptr, s_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    best = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, cols, BLOCK):
        c = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * cols + c, mask=c < cols, other=0.0)
        best = tl.maximum(best, tl.abs(x))
    top = tl.maximum(tl.max(best, axis=0), 1e-8)
    tl.store(s_ptr + row, top / 127.0)
    inverse = 127.0 / top
    for start in range(0, cols, BLOCK):
        c = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * cols + c, mask=c < cols, other=0.0)
        tl.store(q_ptr + row * cols + c, x * inverse, mask=c < cols)


class ModelNew(nn.Module):
    def forward(self, x):
        rows, cols = x.shape
        q = torch.empty_like(x)
        s = torch.empty((rows, 1), device=x.device, dtype=x.dtype)
        absmax_quant[(rows,)](x, q, s, cols, BLOCK=64)
        return q, s
