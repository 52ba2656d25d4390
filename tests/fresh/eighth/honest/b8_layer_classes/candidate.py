import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def silu(v):
    return v * tl.sigmoid(v)


@triton.jit
def relu(v):
    return tl.where(v < 0, 0.0, v)


@triton.jit
def plain(v):
    return v


ACTIVATIONS = {nn.SiLU: silu, nn.ReLU: relu, nn.Identity: plain}


@triton.jit
def linear_kernel(
    x, w, b, y, rows, dim, hidden,
    ACT: tl.constexpr, BIAS: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
):
    m = tl.program_id(0) * M + tl.arange(0, M)
    n = tl.program_id(1) * N + tl.arange(0, N)
    acc = tl.zeros((M, N), tl.float32)
    for k0 in range(0, dim, K):
        k = k0 + tl.arange(0, K)
        p = tl.load(x + m[:, None] * dim + k[None, :], mask=(m < rows)[:, None] & (k < dim)[None, :], other=0.0)
        q = tl.load(w + n[None, :] * dim + k[:, None], mask=(n < hidden)[None, :] & (k < dim)[:, None], other=0.0)
        acc += tl.dot(p, q, input_precision="ieee")
    if BIAS:
        acc += tl.load(b + n, mask=n < hidden, other=0.0)[None, :]
    tl.store(y + m[:, None] * hidden + n[None, :], ACT(acc), mask=(m < rows)[:, None] & (n < hidden)[None, :])


@triton.jit
def add_kernel(x, y, out, total, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < total
    tl.store(out + i, tl.load(x + i, mask=ok) + tl.load(y + i, mask=ok), mask=ok)


class FusedLinear(nn.Linear):
    """A linear layer with its activation; the parameters are those of nn.Linear."""

    def __init__(self, inputs, outputs, act=nn.Identity, **options):
        super().__init__(inputs, outputs, **options)
        self.act = ACTIVATIONS[act]

    def forward(self, x):
        rows, dim = x.shape
        y = torch.empty((rows, self.out_features), device=x.device, dtype=x.dtype)
        grid = (triton.cdiv(rows, 16), triton.cdiv(self.out_features, 16))
        bias = self.weight if self.bias is None else self.bias
        linear_kernel[grid](
            x, self.weight, bias, y, rows, dim, self.out_features,
            ACT=self.act, BIAS=self.bias is not None, M=16, N=16, K=16,
        )
        return y


def add_input(_module, args, output):
    out = torch.empty_like(output)
    total = output.numel()
    add_kernel[(triton.cdiv(total, 128),)](args[0], output, out, total, BLOCK=128)
    return out


class ModelNew(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.net = nn.Sequential(
            FusedLinear(dim, hidden, nn.SiLU), nn.Identity(),
            FusedLinear(hidden, hidden, nn.ReLU, bias=False), nn.Identity(),
            FusedLinear(hidden, dim),
        )
        self.net.register_forward_hook(add_input)

    def forward(self, x):
        return self.net(x)
