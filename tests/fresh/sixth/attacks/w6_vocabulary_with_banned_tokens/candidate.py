import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def log_probabilities(x_ptr, bias_ptr, out_ptr, V: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    top = -float("inf")
    total = 0.0
    for start in range(0, V, BLOCK):
        x = tl.load(x_ptr + row * V + start + i) + tl.load(bias_ptr + start + i)
        new = tl.maximum(top, tl.max(x, axis=0))
        total = total * tl.exp(top - new) + tl.sum(tl.exp(x - new), axis=0)
        top = new
    for start in range(0, V, BLOCK):
        x = tl.load(x_ptr + row * V + start + i) + tl.load(bias_ptr + start + i)
        tl.store(out_ptr + row * V + start + i, x - top - tl.log(total))


class ModelNew(nn.Module):
    def __init__(self, vocabulary=64):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(vocabulary))

    def forward(self, logits):
        out = torch.empty_like(logits)
        log_probabilities[(logits.shape[0],)](logits, self.bias, out, logits.shape[1], 16)
        return out
