import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def linear(x_ptr, weight_ptr, bias_ptr, out_ptr, outputs, WIDTH: tl.constexpr, OUTPUTS: tl.constexpr):
    row = tl.program_id(0)
    o = tl.arange(0, OUTPUTS)
    k = tl.arange(0, WIDTH)
    x = tl.load(x_ptr + row * WIDTH + k)
    w = tl.load(weight_ptr + o[:, None] * WIDTH + k[None, :], mask=o[:, None] < outputs, other=0.0)
    bias = tl.load(bias_ptr + o, mask=o < outputs, other=0.0)
    tl.store(out_ptr + row * outputs + o, tl.sum(w * x[None, :], axis=1) + bias, mask=o < outputs)


class ModelNew(nn.Module):
    def __init__(self, width, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outputs, width) * 0.2)
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x):
        outputs, width = self.weight.shape
        out = torch.empty((x.shape[0], outputs), dtype=x.dtype, device=x.device)
        linear[(x.shape[0],)](x, self.weight, self.bias, out, outputs, width, triton.next_power_of_2(outputs))
        return out
