import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def gptq_linear(
    x_ptr, codes_ptr, scales_ptr, out_ptr, WIDTH: tl.constexpr, OUTPUTS: tl.constexpr, GROUP: tl.constexpr
):
    row = tl.program_id(0)
    k = tl.arange(0, WIDTH)
    o = tl.arange(0, OUTPUTS)
    x = tl.load(x_ptr + row * WIDTH + k)
    codes = tl.load(codes_ptr + k[:, None] * OUTPUTS + o[None, :])
    scales = tl.load(scales_ptr + (k // GROUP)[:, None] * OUTPUTS + o[None, :])
    weight = (codes - 8).to(tl.float32) * scales
    tl.store(out_ptr + row * OUTPUTS + o, tl.sum(weight * x[:, None], axis=0))


class ModelNew(nn.Module):
    def __init__(self, width, outputs, group):
        super().__init__()
        self.group = group
        self.register_buffer("codes", torch.randint(0, 16, (width, outputs)))
        self.register_buffer("zeros", torch.full((width // group, outputs), 8))
        self.scales = nn.Parameter(torch.rand(width // group, outputs) * 0.02 + 0.01)

    def forward(self, x):
        width, outputs = self.codes.shape
        out = torch.empty((x.shape[0], outputs), dtype=x.dtype, device=x.device)
        gptq_linear[(x.shape[0],)](x, self.codes, self.scales, out, width, outputs, self.group)
        return out
