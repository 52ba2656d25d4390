import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def attend(q_ptr, k_ptr, v_ptr, slope_ptr, out_ptr, length, width, root, LENGTH: tl.constexpr, WIDTH: tl.constexpr):
    head = tl.program_id(0)
    query = tl.program_id(1)
    key = tl.arange(0, LENGTH)
    col = tl.arange(0, WIDTH)
    inside = (key[:, None] <= query) & (col[None, :] < width)
    place = (head * length + key[:, None]) * width + col[None, :]
    here = (head * length + query) * width + col
    q = tl.load(q_ptr + here, mask=col < width, other=0.0)
    k = tl.load(k_ptr + place, mask=inside, other=0.0)
    v = tl.load(v_ptr + place, mask=inside, other=0.0)
    s = tl.sum(q[None, :] * k, axis=1) / root
    s += (key - query).to(tl.float32) * tl.load(slope_ptr + head)
    s = tl.where(key <= query, s, -float("inf"))
    p = tl.exp(s - tl.max(s, axis=0))
    out = tl.sum(p[:, None] * v, axis=0) / tl.sum(p, axis=0)
    tl.store(out_ptr + here, out, mask=col < width)


class ModelNew(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.register_buffer("slopes", 2.0 ** (-8.0 * torch.arange(1, heads + 1) / heads))

    def forward(self, q, k, v):
        heads, length, width = q.shape
        out = torch.empty_like(q)
        attend[(heads, length)](q, k, v, self.slopes, out, length, width, width**0.5, LENGTH=triton.next_power_of_2(length),
                                WIDTH=triton.next_power_of_2(width))
        return out
