import torch
import torch.nn as nn
import triton
import triton.language as tl


TEMPERATURE = tl.constexpr(0.7)


@triton.jit
def softmax_rows(x_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * width + i, mask=i < width, other=-float("inf")) / TEMPERATURE
    p = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * width + i, p / tl.sum(p, axis=0), mask=i < width)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.temperature = 0.7

    def forward(self, logits):
        out = torch.empty_like(logits)
        softmax_rows[(logits.shape[0],)](logits, out, logits.shape[1], triton.next_power_of_2(logits.shape[1]))
        return out
