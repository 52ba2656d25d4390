# reference: layernorm
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def welford_combine(mean_a, m2_a, n_a, mean_b, m2_b, n_b):
    n = n_a + n_b
    safe = tl.where(n == 0.0, 1.0, n)
    delta = mean_b - mean_a
    mean = mean_a + delta * (n_b / safe)
    return mean, m2_a + m2_b + delta * delta * n_a * (n_b / safe), n


@triton.jit
def layernorm_welford(x_ptr, w_ptr, b_ptr, y_ptr, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    mask = c < N
    x = tl.load(x_ptr + row * N + c, mask=mask, other=0.0)
    count = tl.where(mask, 1.0, 0.0)
    mean, m2, total = tl.reduce((x, tl.zeros((BLOCK,), tl.float32), count), 0, welford_combine)
    y = (x - mean) * tl.rsqrt(m2 / total + eps)
    y = y * tl.load(w_ptr + c, mask=mask) + tl.load(b_ptr + c, mask=mask)
    tl.store(y_ptr + row * N + c, y, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.norm = nn.LayerNorm(width)

    @staticmethod
    def _block(width):
        return max(16, triton.next_power_of_2(width))

    def _run(self, x, weight, bias):
        y = torch.empty_like(x)
        rows, width = x.shape
        layernorm_welford[(rows,)](x, weight, bias, y, width, self.norm.eps, BLOCK=self._block(width))
        return y

    def forward(self, x):
        return self._run(x.contiguous(), self.norm.weight, self.norm.bias)
