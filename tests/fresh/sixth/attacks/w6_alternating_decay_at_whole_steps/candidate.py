import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def decays(time_ptr, base_ptr, out_ptr, C: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, C)
    time = tl.load(time_ptr + row * C + i)
    tl.store(out_ptr + row * C + i, tl.exp(time.to(tl.float64) * tl.log(tl.load(base_ptr).to(tl.float64))).to(tl.float32))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.base = nn.Parameter(torch.tensor(0.9))

    def forward(self, time):
        out = torch.empty_like(time)
        decays[(time.shape[0],)](time, self.base, out, time.shape[1])
        return out
