import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def push(frame, ring, place, y, C, S: tl.constexpr, B: tl.constexpr):
    c = tl.arange(0, B)
    at = tl.load(place) % S
    at = tl.where(at < 0, at + S, at)
    new = tl.load(frame + c, mask=c < C)
    total = tl.zeros((B,), tl.float32)
    for s in tl.static_range(S):
        old = tl.load(ring + s * C + c, mask=c < C, other=0.0)
        total += tl.where(at == s, new, old)
    tl.debug_barrier()
    tl.store(ring + at * C + c, new, mask=c < C)
    tl.store(y + c, total / S, mask=c < C)


class ModelNew(nn.Module):
    def __init__(self, slots, c):
        super().__init__()
        self.register_buffer("ring", torch.zeros(slots, c))
        self.register_buffer("place", torch.zeros((), dtype=torch.long))

    def forward(self, frame):
        y = torch.empty_like(frame)
        slots, c = self.ring.shape
        push[(1,)](frame, self.ring, self.place, y, c, S=slots, B=triton.next_power_of_2(c))
        self.place.add_(1)
        return y
