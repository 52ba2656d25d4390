# reference: cross_entropy
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def cross_entropy_kernel(logits_ptr, targets_ptr, loss_ptr, n_rows, n_cols, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(logits_ptr + row * n_cols + cols, mask=cols < n_cols, other=-float("inf"))
    m = tl.max(x, axis=0)
    lse = m + tl.log(tl.sum(tl.exp(x - m), axis=0))
    target = tl.load(targets_ptr + row)
    kept = target != -100
    picked = tl.load(logits_ptr + row * n_cols + target, mask=kept, other=0.0)
    every = tl.arange(0, ROWS)
    count = tl.sum((tl.load(targets_ptr + every, mask=every < n_rows, other=-100) != -100).to(tl.int32), axis=0)
    tl.atomic_add(loss_ptr, tl.where(kept, lse - picked, 0.0) / count)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, logits, targets):
        logits = logits.contiguous()
        n_rows, n_cols = logits.shape
        loss = torch.zeros((), device=logits.device, dtype=torch.float32)
        sizes = {"ROWS": triton.next_power_of_2(n_rows), "BLOCK": triton.next_power_of_2(n_cols)}
        cross_entropy_kernel[(n_rows,)](logits, targets, loss, n_rows, n_cols, **sizes)
        return loss
