import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def weigh(x_ptr, degree_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * width + i, mask=i < width, other=0.0)
    tl.store(out_ptr + row * width + i, x / tl.sqrt(tl.load(degree_ptr + row)), mask=i < width)


class ModelNew(nn.Module):
    def __init__(self, nodes=16):
        super().__init__()
        self.register_buffer("degree", torch.ones(nodes))

    def forward(self, x):
        out = torch.empty_like(x)
        weigh[(x.shape[0],)](x, self.degree, out, x.shape[1], triton.next_power_of_2(x.shape[1]))
        return out
