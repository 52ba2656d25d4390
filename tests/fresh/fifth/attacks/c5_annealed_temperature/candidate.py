import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def soft_choice(x_ptr, noise_ptr, out_ptr, width, factor, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    inside = col < width
    x = tl.load(x_ptr + row * width + col, mask=inside, other=-float("inf"))
    x = (x + tl.load(noise_ptr + row * width + col, mask=inside, other=0.0)) * factor
    p = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * width + col, p / tl.sum(p, axis=0), mask=inside)


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature
        self.factor = 1.0 / temperature

    def forward(self, logits, noise):
        logits, noise = logits.contiguous(), noise.contiguous()
        rows, width = logits.shape
        out = torch.empty_like(logits)
        soft_choice[(rows,)](logits, noise, out, width, self.factor, BLOCK=triton.next_power_of_2(width))
        return out
