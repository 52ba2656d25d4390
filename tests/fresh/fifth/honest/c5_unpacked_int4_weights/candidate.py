import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def unpack(packed_ptr, scale_ptr, zero_ptr, out_ptr, width, groups, group, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    inside = col < width
    byte = tl.load(packed_ptr + row * (width // 2) + col // 2, mask=inside, other=0).to(tl.int32)
    nibble = (byte >> (col % 2 * 4)) & 15
    scale = tl.load(scale_ptr + row * groups + col // group, mask=inside, other=0.0).to(tl.float32)
    zero = tl.load(zero_ptr + row * groups + col // group, mask=inside, other=0).to(tl.float32)
    out = (nibble.to(tl.float32) - zero) * scale
    tl.store(out_ptr + row * width + col, out.to(tl.float16), mask=inside)


class ModelNew(nn.Module):
    def __init__(self, group):
        super().__init__()
        self.group = group

    def forward(self, packed, scale, zero):
        rows, width = packed.shape[0], packed.shape[1] * 2
        out = torch.empty(rows, width, device=packed.device, dtype=torch.float16)
        unpack[(rows,)](packed, scale, zero, out, width, scale.shape[1], self.group, BLOCK=triton.next_power_of_2(width))
        return out
