import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def nesterov(param, velocity, grad, rate, n, momentum, decay, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    p = tl.load(param + i, mask=m)
    g = tl.load(grad + i, mask=m) + decay * p
    v = momentum * tl.load(velocity + i, mask=m) + g
    tl.store(velocity + i, v, mask=m)
    tl.store(param + i, p - tl.load(rate) * (g + momentum * v), mask=m)


class ModelNew(nn.Module):
    def __init__(self, momentum, decay):
        super().__init__()
        self.momentum = momentum
        self.decay = decay

    def forward(self, param, velocity, grad, rate):
        n = param.numel()
        nesterov[(triton.cdiv(n, 256),)](param, velocity, grad, rate, n, self.momentum, self.decay, BLOCK=256)
        return param
