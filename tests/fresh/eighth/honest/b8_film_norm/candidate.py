import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def film_norm(
    x_ptr, cond_ptr, w_ptr, b_ptr, y_ptr, channels, groups, plane, eps,
    CHUNK: tl.constexpr,
):
    pid = tl.program_id(0)
    batch = pid // groups
    per_group = channels // groups
    size = per_group * plane
    offs = tl.arange(0, CHUNK)
    acc = tl.zeros((CHUNK,), tl.float32)
    for start in range(0, size, CHUNK):
        i = start + offs
        acc += tl.load(x_ptr + pid * size + i, mask=i < size, other=0.0)
    mean = tl.sum(acc, axis=0) / size
    acc = tl.zeros((CHUNK,), tl.float32)
    for start in range(0, size, CHUNK):
        i = start + offs
        d = tl.load(x_ptr + pid * size + i, mask=i < size, other=0.0) - mean
        acc += tl.where(i < size, d * d, 0.0)
    rstd = tl.rsqrt(tl.sum(acc, axis=0) / size + eps)
    for start in range(0, size, CHUNK):
        i = start + offs
        ok = i < size
        c = (pid % groups) * per_group + i // plane
        n = (tl.load(x_ptr + pid * size + i, mask=ok, other=0.0) - mean) * rstd
        n = n * tl.load(w_ptr + c, mask=ok, other=0.0) + tl.load(b_ptr + c, mask=ok, other=0.0)
        scale = tl.load(cond_ptr + batch * 2 * channels + c, mask=ok, other=0.0)
        shift = tl.load(cond_ptr + batch * 2 * channels + channels + c, mask=ok, other=0.0)
        tl.store(y_ptr + pid * size + i, n * (1.0 + scale) + shift, mask=ok)


class ModelNew(nn.Module):
    def __init__(self, groups, channels):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels, eps=1e-6)

    def forward(self, x, condition):
        batch, channels, height, width = x.shape
        groups = self.norm.num_groups
        y = torch.empty_like(x)
        film_norm[(batch * groups,)](
            x, condition, self.norm.weight, self.norm.bias, y, channels, groups, height * width, self.norm.eps,
            CHUNK=128,
        )
        return y
