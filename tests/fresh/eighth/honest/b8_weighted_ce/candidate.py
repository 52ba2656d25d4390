import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def row_loss(logits, target, weight, losses, weights, classes, IGNORE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    z = tl.load(logits + row * classes + c, mask=c < classes, other=float("-inf"))
    goal = tl.load(target + row)
    counts = goal != IGNORE
    top = tl.max(z, axis=0)
    lse = top + tl.log(tl.sum(tl.exp(z - top), axis=0))
    hit = tl.load(logits + row * classes + goal, mask=counts, other=0.0)
    w = tl.load(weight + goal, mask=counts, other=0.0)
    tl.store(losses + row, tl.where(counts, w * (lse - hit), 0.0))
    tl.store(weights + row, w)


@triton.jit
def weighted_mean(losses, weights, out, rows, BLOCK: tl.constexpr):
    r = tl.arange(0, BLOCK)
    total = tl.sum(tl.load(losses + r, mask=r < rows, other=0.0), axis=0)
    mass = tl.sum(tl.load(weights + r, mask=r < rows, other=0.0), axis=0)
    tl.store(out, total / mass)


class ModelNew(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.loss = nn.CrossEntropyLoss(weight=torch.rand(classes) + 0.1)

    def forward(self, logits, target):
        rows, classes = logits.shape
        losses = torch.empty((rows,), device=logits.device, dtype=torch.float32)
        weights = torch.empty((rows,), device=logits.device, dtype=torch.float32)
        out = torch.empty((), device=logits.device, dtype=torch.float32)
        row_loss[(rows,)](
            logits, target, self.loss.weight, losses, weights, classes,
            IGNORE=-100, BLOCK=triton.next_power_of_2(classes),
        )
        weighted_mean[(1,)](losses, weights, out, rows, BLOCK=triton.next_power_of_2(rows))
        return out
