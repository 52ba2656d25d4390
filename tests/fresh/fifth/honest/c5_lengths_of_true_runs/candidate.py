import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def join(all_a, run_a, all_b, run_b):
    return all_a & all_b, tl.where(all_b != 0, run_a + run_b, run_b)


@triton.jit
def runs(x_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    x = (tl.load(x_ptr + row * width + col, mask=col < width, other=0) != 0).to(tl.int32)
    _, run = tl.associative_scan((x, x), 0, join)
    tl.store(out_ptr + row * width + col, run, mask=col < width)


class ModelNew(nn.Module):
    def forward(self, x):
        out = torch.empty(x.shape, device=x.device, dtype=torch.int32)
        runs[(x.shape[0],)](x, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
        return out
