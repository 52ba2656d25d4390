import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def int4_linear(
    x_ptr, packed_ptr, scale_ptr, out_ptr, outputs, HALF: tl.constexpr, OUTPUTS: tl.constexpr
):
    row = tl.program_id(0)
    o = tl.arange(0, OUTPUTS)
    k = tl.arange(0, HALF)
    pair = tl.load(packed_ptr + o[:, None] * HALF + k[None, :], mask=o[:, None] < outputs, other=0)
    low = (pair & 15).to(tl.int32)
    high = ((pair >> 4) & 15).to(tl.int32)
    low = tl.where(low > 8, low - 16, low).to(tl.float32)
    high = tl.where(high > 8, high - 16, high).to(tl.float32)
    even = tl.load(x_ptr + row * HALF * 2 + k * 2)
    odd = tl.load(x_ptr + row * HALF * 2 + k * 2 + 1)
    total = tl.sum(low * even[None, :] + high * odd[None, :], axis=1)
    scale = tl.load(scale_ptr + o, mask=o < outputs, other=0.0)
    tl.store(out_ptr + row * outputs + o, total * scale, mask=o < outputs)


class ModelNew(nn.Module):
    def __init__(self, width, outputs):
        super().__init__()
        low = torch.randint(-7, 8, (outputs, width // 2)) & 15
        high = torch.randint(-7, 8, (outputs, width // 2)) & 15
        self.register_buffer("packed", low | (high << 4))
        self.scale = nn.Parameter(torch.full((outputs,), 0.05))

    def forward(self, x):
        outputs, half = self.packed.shape
        out = torch.empty((x.shape[0], outputs), dtype=x.dtype, device=x.device)
        int4_linear[(x.shape[0],)](x, self.packed, self.scale, out, outputs, half, triton.next_power_of_2(outputs))
        return out
