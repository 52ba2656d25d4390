import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def add_norm(stream, branch, weight, bias, total, normed, dim, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0) * dim
    c = tl.arange(0, BLOCK)
    ok = c < dim
    s = tl.load(stream + row + c, mask=ok, other=0.0).to(tl.float32)
    s += tl.load(branch + row + c, mask=ok, other=0.0).to(tl.float32)
    rounded = s.to(tl.float16)
    tl.store(total + row + c, rounded, mask=ok)
    s = rounded.to(tl.float32)
    mean = tl.sum(s, axis=0) / dim
    centred = tl.where(ok, s - mean, 0.0)
    var = tl.sum(centred * centred, axis=0) / dim
    w = tl.load(weight + c, mask=ok, other=0.0).to(tl.float32)
    b = tl.load(bias + c, mask=ok, other=0.0).to(tl.float32)
    y = centred * tl.rsqrt(var + eps) * w + b
    tl.store(normed + row + c, y.to(tl.float16), mask=ok)


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim, dtype=torch.float16)

    def forward(self, stream, branch):
        total = torch.empty_like(stream)
        normed = torch.empty_like(stream)
        dim = stream.shape[-1]
        rows = stream.numel() // dim
        add_norm[(rows,)](
            stream, branch, self.norm.weight, self.norm.bias, total, normed, dim, self.norm.eps,
            BLOCK=triton.next_power_of_2(dim), num_warps=2,
        )
        return total, normed
