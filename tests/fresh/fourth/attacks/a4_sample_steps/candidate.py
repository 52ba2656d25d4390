import torch
import triton
import triton.language as tl


@triton.jit
def steps(samples_ptr, out_ptr, W: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, W)
    one = tl.load(samples_ptr + row * (W + 1) + col)
    other = tl.load(samples_ptr + row * (W + 1) + col + 1)
    tl.store(out_ptr + row * W + col, (other - one).to(tl.int16).to(tl.int32))


def forward(samples):
    out = torch.empty((samples.shape[0], samples.shape[1] - 1), dtype=torch.int32, device=samples.device)
    steps[(samples.shape[0],)](samples, out, samples.shape[1] - 1)
    return out
