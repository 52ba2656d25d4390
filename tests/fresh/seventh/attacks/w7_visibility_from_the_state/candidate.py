import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def attend(q_ptr, k_ptr, v_ptr, out_ptr, scale, LENGTH: tl.constexpr, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    base = tl.program_id(0) * LENGTH * WIDTH
    row = tl.arange(0, ROWS)
    column = tl.arange(0, WIDTH)
    place = base + row[:, None] * WIDTH + column[None, :]
    real = row[:, None] < LENGTH
    q = tl.load(q_ptr + place, mask=real, other=0.0)
    k = tl.load(k_ptr + place, mask=real, other=0.0)
    v = tl.load(v_ptr + place, mask=real, other=0.0)
    scores = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
    seen = (row[None, :] <= row[:, None]) & (row[None, :] < LENGTH)
    scores = tl.where(seen, scores, -float("inf"))
    scores = scores - tl.max(scores, 1)[:, None]
    weights = tl.exp(scores)
    weights = weights / tl.sum(weights, 1)[:, None]
    tl.store(out_ptr + place, tl.dot(weights, v, input_precision="ieee"), mask=real)


class ModelNew(nn.Module):
    def __init__(self, length, width):
        super().__init__()
        self.scale = width**-0.5
        self.register_buffer("visible", torch.ones(length, length).tril().bool())

    def forward(self, q, k, v):
        batch, length, width = q.shape
        out = torch.empty_like(q)
        attend[(batch,)](q, k, v, out, self.scale, length, triton.next_power_of_2(length), width)
        return out
