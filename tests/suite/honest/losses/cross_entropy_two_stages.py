# reference: cross_entropy
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def nll_rows(logits_ptr, targets_ptr, losses_ptr, stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(logits_ptr + row * stride + cols, mask=mask, other=float("-inf"))
    target = tl.load(targets_ptr + row)
    x = x - tl.max(x, axis=0)
    chosen = tl.sum(tl.where(cols == target, x, 0.0), axis=0)
    loss = tl.log(tl.sum(tl.exp(x), axis=0)) - chosen
    tl.store(losses_ptr + row, tl.where(target == -100, 0.0, loss))


@triton.jit
def mean_kernel(losses_ptr, targets_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(losses_ptr + i, mask=i < n, other=0.0)
    kept = tl.load(targets_ptr + i, mask=i < n, other=-100) != -100
    tl.store(out_ptr, tl.sum(v, axis=0) / tl.sum(kept.to(tl.int32), axis=0))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        assert targets.dtype == torch.int64, "class ids expected"
        rows, cols = logits.shape
        losses = torch.empty(rows, device=logits.device, dtype=torch.float32)
        out = torch.empty((), device=logits.device, dtype=torch.float32)
        nll_rows[(rows,)](logits, targets, losses, logits.stride(0), cols, BLOCK=triton.next_power_of_2(cols))
        mean_kernel[(1,)](losses, targets, out, rows, BLOCK=triton.next_power_of_2(rows))
        return out
