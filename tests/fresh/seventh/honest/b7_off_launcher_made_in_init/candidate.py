import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def mean_power(x, y, n, P: tl.constexpr, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + r * n + c, mask=c < n, other=0.0)
    v = tl.where(v < 1e-3, 1e-3, v)
    p = v
    for _ in tl.static_range(P - 1):
        p = p * v
    tl.store(y + r, tl.sum(tl.where(c < n, p, 0.0), 0) / n)


def launcher(power):
    def launch(x):
        n = x.shape[-1] * x.shape[-2]
        y = x.new_empty(x.shape[:-2])
        mean_power[(y.numel(),)](x, y, n, P=power, B=triton.next_power_of_2(n))
        return y

    return launch


class ModelNew(nn.Module):
    def __init__(self, power):
        super().__init__()
        self.launch = launcher(power)

    def forward(self, x):
        return self.launch(x)
