import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def energy(x_ptr, length_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    length = tl.load(length_ptr + row)
    x = tl.load(x_ptr + row * width + i, mask=i < width, other=0.0) * (i < length).to(tl.float32)
    tl.store(out_ptr + row, tl.sum(x * x, axis=0) / tl.maximum(length, 1))


class ModelNew(nn.Module):
    def forward(self, x, length):
        out = torch.empty((x.shape[0],), dtype=x.dtype, device=x.device)
        energy[(x.shape[0],)](x, length, out, x.shape[1], triton.next_power_of_2(x.shape[1]))
        return out
