import torch
import torch.nn as nn
import triton
import triton.language as tl


IGNORED = -100


@triton.jit
def row_losses(x_ptr, t_ptr, loss_ptr, V: tl.constexpr, IGNORE: tl.constexpr, EPS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * V + c, mask=c < V, other=-float("inf"))
    target = tl.load(t_ptr + row)
    top = tl.max(x, axis=0)
    log_sum = tl.log(tl.sum(tl.exp(x - top), axis=0))
    log_p = tl.where(c < V, x - top - log_sum, 0.0)
    own = tl.sum(tl.where(c == target, log_p, 0.0), axis=0)
    loss = -(1.0 - EPS) * own - EPS / V * tl.sum(log_p, axis=0)
    tl.store(loss_ptr + row, tl.where(target == IGNORE, 0.0, loss))


@triton.jit
def mean_loss(loss_ptr, t_ptr, out_ptr, N, IGNORE: tl.constexpr, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    count = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, N, BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.load(loss_ptr + i, mask=i < N, other=0.0)
        count += tl.where(tl.load(t_ptr + i, mask=i < N, other=IGNORE) == IGNORE, 0.0, 1.0)
    tl.store(out_ptr, tl.sum(total, axis=0) / tl.sum(count, axis=0))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, logits, target):
        rows, classes = logits.shape
        losses = torch.empty((rows,), device=logits.device, dtype=torch.float32)
        out = torch.empty((), device=logits.device, dtype=logits.dtype)
        row_losses[(rows,)](logits, target, losses, classes, IGNORED, 0.1, triton.next_power_of_2(classes))
        mean_loss[(1,)](losses, target, out, rows, IGNORED, 64)
        return out
