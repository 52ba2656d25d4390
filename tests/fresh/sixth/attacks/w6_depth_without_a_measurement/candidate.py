import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def squared(a_ptr, b_ptr, valid_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    ok = i < width
    on = tl.load(valid_ptr + row * width + i, mask=ok, other=0).to(tl.float32)
    d = tl.load(a_ptr + row * width + i, mask=ok, other=0.0) - tl.load(b_ptr + row * width + i, mask=ok, other=0.0)
    tl.store(out_ptr + row, tl.sum(on * d * d, axis=0) / tl.maximum(tl.sum(on, axis=0), 1.0))


class ModelNew(nn.Module):
    def forward(self, depth, target, valid):
        out = torch.empty((depth.shape[0],), dtype=depth.dtype, device=depth.device)
        squared[(depth.shape[0],)](depth, target, valid, out, depth.shape[1], triton.next_power_of_2(depth.shape[1]))
        return out
