import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def loss_rows(logits_ptr, target_ptr, out_ptr, CLASSES: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    real = column < CLASSES
    z = tl.load(logits_ptr + row * CLASSES + column, mask=real, other=-float("inf"))
    target = tl.load(target_ptr + column, mask=real, other=0.0)
    z = z - tl.max(z, 0)
    normalizer = tl.log(tl.sum(tl.exp(z), 0))
    expected = tl.sum(tl.where(real, target * z, 0.0), 0)
    tl.store(out_ptr + row, normalizer - expected)


class ModelNew(nn.Module):
    def __init__(self, classes):
        super().__init__()
        weights = 1.0 / (torch.arange(classes) + 1.0)
        self.register_buffer("target", weights / weights.sum())

    def forward(self, logits):
        rows, classes = logits.shape
        out = torch.empty((rows,), device=logits.device, dtype=logits.dtype)
        loss_rows[(rows,)](logits, self.target, out, classes, triton.next_power_of_2(classes))
        return out
