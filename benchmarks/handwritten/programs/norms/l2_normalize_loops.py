# reference: l2_normalize
# way: extra-pass
# faster: the row is read for its length and again for the output
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def normalize_kernel(X, Y, sx, sy, D, BLOCK_D: tl.constexpr):
    pid = tl.program_id(0)
    x_row = X + pid * sx
    y_row = Y + pid * sy
    norm2 = 0.0
    for d in range(0, D, BLOCK_D):
        idx = d + tl.arange(0, BLOCK_D)
        val = tl.load(x_row + idx, mask=idx < D, other=0.0)
        norm2 += tl.sum(val * val)
    length = tl.maximum(tl.sqrt(norm2), 1e-12)
    for d in range(0, D, BLOCK_D):
        idx = d + tl.arange(0, BLOCK_D)
        val = tl.load(x_row + idx, mask=idx < D)
        tl.store(y_row + idx, val / length, mask=idx < D)


class ModelNew(nn.Module):
    def forward(self, x):
        out = torch.empty_like(x)
        normalize_kernel[(x.size(0),)](x, out, x.stride(0), out.stride(0), x.size(1), BLOCK_D=128)
        return out
