import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def send(x_ptr, places_ptr, out_ptr, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, WIDTH)
    places = tl.load(places_ptr + c)
    wanted = places[None, :] == c[:, None]
    to = tl.max(tl.where(wanted, c[None, :], -1), axis=1)
    x = tl.load(x_ptr + row * WIDTH + c)
    tl.store(out_ptr + row * WIDTH + to, 2.0 * x, to >= 0)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.register_buffer("places", torch.arange(width).flip(0))

    def forward(self, x):
        out = torch.empty_like(x)
        send[(x.shape[0],)](x, self.places, out, x.shape[1])
        return out
