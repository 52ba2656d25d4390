import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, first_ptr, second_ptr, out_ptr, n, width, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    x = tl.load(x_ptr + at, inside, 0.0)
    first = tl.load(first_ptr + at % width, inside, 0.0)
    second = tl.load(second_ptr + at % width, inside, 0.0)
    tl.store(out_ptr + at, tl.maximum(x * first, 0.0) * second, inside)


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Parameter(torch.rand(48) + 0.5)
        self.second = torch.nn.Parameter(torch.rand(48) + 0.5)

    def forward(self, x):
        out = torch.empty_like(x)
        n = x.numel()
        kernel[(triton.cdiv(n, 256),)](x, self.first, self.second, out, n, x.shape[1], BLOCK=256)
        return out
