import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def scores(a_ptr, b_ptr, s_ptr, out_ptr, W: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, W)
    a = tl.load(a_ptr + row * W + col)
    b = tl.load(b_ptr + row * W + col)
    a = a / tl.sqrt(tl.sum(a * a, axis=0))
    b = b / tl.sqrt(tl.sum(b * b, axis=0))
    tl.store(out_ptr + row, tl.sum(a * b, axis=0) * tl.exp(tl.load(s_ptr)))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.log_scale = nn.Parameter(torch.tensor(2.6593))

    def forward(self, a, b):
        out = torch.empty((a.shape[0],), dtype=a.dtype, device=a.device)
        scores[(a.shape[0],)](a, b, self.log_scale, out, a.shape[1])
        return out
