import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def route(x, logits, scale, y, tokens, dim, room, EXPERTS: tl.constexpr, TOKENS: tl.constexpr, DIM: tl.constexpr):
    me = tl.program_id(0)
    e = tl.arange(0, EXPERTS)
    t = tl.arange(0, TOKENS)
    every = tl.load(logits + t[:, None] * EXPERTS + e[None, :], mask=(t < tokens)[:, None], other=0.0)
    choice = tl.argmax(every, axis=1)
    mine = tl.load(logits + me * EXPERTS + e)
    best = tl.argmax(mine, axis=0)
    place = tl.sum(((choice == best) & (t < me)).to(tl.int32), axis=0)
    p = tl.exp(mine - tl.max(mine, axis=0))
    gate = tl.max(p, axis=0) / tl.sum(p, axis=0)
    d = tl.arange(0, DIM)
    keep = d < dim
    v = tl.load(x + me * dim + d, mask=keep) * tl.load(scale + best * dim + d, mask=keep) * gate
    tl.store(y + me * dim + d, v, mask=keep & (place < room))


class ModelNew(nn.Module):
    def __init__(self, experts, dim, room):
        super().__init__()
        self.room = room
        self.scale = nn.Parameter(torch.randn(experts, dim))

    def forward(self, x, logits):
        tokens, dim = x.shape
        experts = logits.shape[1]
        y = torch.empty_like(x)
        route[(tokens,)](
            x, logits, self.scale, y, tokens, dim, self.room,
            EXPERTS=experts, TOKENS=triton.next_power_of_2(tokens), DIM=triton.next_power_of_2(dim),
        )
        return y
