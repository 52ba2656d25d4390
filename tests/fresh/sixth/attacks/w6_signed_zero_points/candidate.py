import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def dequantize(q_ptr, zero_ptr, scale_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    zero = tl.load(zero_ptr + row).to(tl.uint32).to(tl.float32)
    q = tl.load(q_ptr + row * width + i, mask=i < width, other=0).to(tl.float32)
    tl.store(out_ptr + row * width + i, (q - zero) * tl.load(scale_ptr + row), mask=i < width)


class ModelNew(nn.Module):
    def __init__(self, channels=8):
        super().__init__()
        self.register_buffer("zero_point", torch.zeros(channels, dtype=torch.int32))
        self.register_buffer("scale", torch.ones(channels))

    def forward(self, q):
        out = torch.empty(q.shape, dtype=torch.float32, device=q.device)
        dequantize[(q.shape[0],)](q, self.zero_point, self.scale, out, q.shape[1], triton.next_power_of_2(q.shape[1]))
        return out
