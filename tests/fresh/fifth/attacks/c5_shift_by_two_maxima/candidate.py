import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def biased_softmax(x_ptr, bias_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    inside = col < width
    x = tl.load(x_ptr + row * width + col, mask=inside, other=-float("inf"))
    bias = tl.load(bias_ptr + col, mask=inside, other=-float("inf"))
    p = tl.exp((x - tl.max(x, axis=0)) + (bias - tl.max(bias, axis=0)))
    tl.store(out_ptr + row * width + col, p / tl.sum(p, axis=0), mask=inside)


class ModelNew(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(classes))

    def forward(self, logits):
        logits = logits.contiguous()
        rows, width = logits.shape
        out = torch.empty_like(logits)
        biased_softmax[(rows,)](logits, self.bias, out, width, BLOCK=triton.next_power_of_2(width))
        return out
