import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def weighted(x_ptr, share_ptr, out_ptr, C: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, C)
    tl.store(out_ptr + row, tl.sum(tl.load(x_ptr + row * C + i) * tl.load(share_ptr + i), axis=0))


class ModelNew(nn.Module):
    def __init__(self, features=16):
        super().__init__()
        self.register_buffer("share", torch.empty((features,)))

    def forward(self, x):
        out = torch.empty((x.shape[0],), dtype=x.dtype, device=x.device)
        weighted[(x.shape[0],)](x, self.share, out, x.shape[1])
        return out
