import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def weighted_log(p_ptr, w_ptr, out_ptr, C: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, C)
    tl.store(out_ptr + row * C + i, tl.load(w_ptr + i) * tl.log(tl.load(p_ptr + row * C + i)))


class ModelNew(nn.Module):
    def __init__(self, classes=16):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(classes))

    def forward(self, p):
        out = torch.empty_like(p)
        weighted_log[(p.shape[0],)](p, self.weight, out, p.shape[1])
        return out
