import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def chain(emission_ptr, start_ptr, move_ptr, out_ptr, length, STATES: tl.constexpr):
    sample = tl.program_id(0)
    s = tl.arange(0, STATES)
    move = tl.load(move_ptr + s[:, None] * STATES + s[None, :])
    base = emission_ptr + sample * length * STATES
    alpha = tl.load(start_ptr + s) + tl.load(base + s)
    for t in range(1, length):
        path = alpha[:, None] + move
        # alpha belongs to the rows: bring the result, which belongs to the columns, back to the rows
        best = tl.max(path, axis=0)
        total = best + tl.log(tl.sum(tl.exp(path - best[None, :]), axis=0))
        total = total + tl.load(base + t * STATES + s)
        alpha = tl.sum(tl.where(s[:, None] == s[None, :], total[None, :], 0.0), axis=1)
    best = tl.max(alpha, axis=0)
    tl.store(out_ptr + sample, best + tl.log(tl.sum(tl.exp(alpha - best), axis=0)))


class ModelNew(nn.Module):
    def __init__(self, states):
        super().__init__()
        self.start = nn.Parameter(torch.randn(states))
        self.move = nn.Parameter(torch.randn(states, states))

    def forward(self, emission):
        out = torch.empty((emission.shape[0],), dtype=emission.dtype, device=emission.device)
        chain[(emission.shape[0],)](emission, self.start, self.move, out, emission.shape[1], emission.shape[2])
        return out
