import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < width
    x = tl.load(x_ptr + row * width + column, inside, 0.0)
    norm = tl.sqrt(tl.sum(x * x))
    result = x / tl.where(norm == 0, 1.0, norm)
    tl.store(out_ptr + row * width + column, result, inside)


def run(x):
    out = torch.empty_like(x)
    kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return out


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return run(x)
