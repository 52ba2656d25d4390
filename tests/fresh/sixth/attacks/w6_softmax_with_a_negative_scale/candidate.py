import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def scaled_softmax(x_ptr, scale_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * width + i, mask=i < width, other=-float("inf"))
    apart = tl.where(i < width, x - tl.max(x, axis=0), 0.0)
    p = tl.where(i < width, tl.exp(tl.load(scale_ptr) * apart), 0.0)
    tl.store(out_ptr + row * width + i, p / tl.sum(p, axis=0), mask=i < width)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.tensor(1.0))

    def forward(self, distance):
        out = torch.empty_like(distance)
        block = triton.next_power_of_2(distance.shape[1])
        scaled_softmax[(distance.shape[0],)](distance, self.scale, out, distance.shape[1], block)
        return out
