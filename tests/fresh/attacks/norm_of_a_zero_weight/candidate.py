import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, w_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < width
    x = tl.load(x_ptr + row * width + column, inside, 0.0)
    w = tl.load(w_ptr + column, inside, 0.0)
    result = x * (w / tl.sqrt(tl.sum(w * w)))
    tl.store(out_ptr + row * width + column, result, inside)


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.logits = torch.nn.Parameter(torch.randn(48))

    def forward(self, x):
        out = torch.empty_like(x)
        kernel[(x.shape[0],)](x, self.logits, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
        return out
