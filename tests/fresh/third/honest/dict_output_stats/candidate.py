import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def channel_stats(x_ptr, mean_ptr, var_ptr, low_ptr, high_ptr, B, C, T, BLOCK: tl.constexpr):
    c = tl.program_id(0)
    total = B * T
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    low = tl.full((BLOCK,), float("inf"), dtype=tl.float32)
    high = tl.full((BLOCK,), -float("inf"), dtype=tl.float32)
    for start in range(0, total, BLOCK):
        i = start + tl.arange(0, BLOCK)
        mask = i < total
        x = tl.load(x_ptr + ((i // T) * C + c) * T + i % T, mask=mask, other=0.0)
        acc += x
        low = tl.minimum(low, tl.where(mask, x, float("inf")))
        high = tl.maximum(high, tl.where(mask, x, -float("inf")))
    mean = tl.sum(acc, 0) / total
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, total, BLOCK):
        i = start + tl.arange(0, BLOCK)
        mask = i < total
        x = tl.load(x_ptr + ((i // T) * C + c) * T + i % T, mask=mask, other=0.0)
        acc += tl.where(mask, (x - mean) * (x - mean), 0.0)
    tl.store(mean_ptr + c, mean)
    tl.store(var_ptr + c, tl.sum(acc, 0) / (total - 1))
    tl.store(low_ptr + c, tl.min(low, 0))
    tl.store(high_ptr + c, tl.max(high, 0))


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        b, c, t = x.shape
        result = {name: torch.empty(c, device=x.device, dtype=x.dtype) for name in ("mean", "var", "low", "high")}
        channel_stats[(c,)](
            x, result["mean"], result["var"], result["low"], result["high"], b, c, t, BLOCK=32
        )
        return result
