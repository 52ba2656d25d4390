import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def scatter(x_ptr, order_ptr, gain_ptr, out_ptr, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    k = tl.arange(0, WIDTH)
    order = tl.load(order_ptr + k)
    order = tl.where(order < 0, order + WIDTH, order)
    place = tl.max(tl.where(order[None, :] == k[:, None], k[None, :], -1), axis=1)
    gain = tl.load(gain_ptr + place, mask=place >= 0, other=0.0)
    x = tl.load(x_ptr + row * WIDTH + k)
    tl.store(out_ptr + row * WIDTH + place, x * gain, mask=place >= 0)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("order", torch.tensor([0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15]))
        self.gain = nn.Parameter(torch.ones(16))

    def forward(self, x):
        out = torch.zeros_like(x)
        scatter[(x.shape[0],)](x, self.order, self.gain, out, x.shape[1])
        return out
