import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def balance(experts_ptr, chosen_ptr, out_ptr, count, TOKENS: tl.constexpr, BLOCK: tl.constexpr):
    t = tl.arange(0, TOKENS)
    e = tl.arange(0, BLOCK)
    experts = tl.load(experts_ptr + t, mask=t < count, other=-1)
    more = tl.sum((experts[None, :] == e[:, None]).to(tl.float32), axis=1)
    before = tl.load(chosen_ptr + e, mask=e < 24, other=0).to(tl.float32)
    tl.debug_barrier()
    total = (before + more).to(tl.int64)
    tl.store(chosen_ptr + e, total, mask=e < 24)
    everything = tl.maximum(tl.sum(total, axis=0), 1)
    tl.store(out_ptr + e, 1.0 / 24.0 - total.to(tl.float32) / everything.to(tl.float32), mask=e < 24)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("chosen", torch.zeros(24, dtype=torch.int64))

    def forward(self, experts):
        out = torch.empty((24,), dtype=torch.float32, device=experts.device)
        balance[(1,)](experts, self.chosen, out, experts.shape[0], triton.next_power_of_2(experts.shape[0]), 32)
        return out
