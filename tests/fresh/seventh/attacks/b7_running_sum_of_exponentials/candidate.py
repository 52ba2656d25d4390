import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def cox(risk, event, loss, length, B: tl.constexpr):
    row = tl.program_id(0)
    t = tl.arange(0, B)
    r = tl.load(risk + row * length + t, mask=t < length, other=0.0)
    e = tl.load(event + row * length + t, mask=t < length, other=0.0)
    reached = tl.log(tl.cumsum(tl.where(t < length, tl.exp(r), 0.0), 0))
    tl.store(loss + row, -tl.sum(tl.where(t < length, (r - reached) * e, 0.0), 0))


class ModelNew(nn.Module):
    def forward(self, risk, event):
        n, length = risk.shape
        loss = torch.empty((n,), device=risk.device, dtype=torch.float32)
        cox[(n,)](risk, event, loss, length, B=triton.next_power_of_2(length))
        return loss
