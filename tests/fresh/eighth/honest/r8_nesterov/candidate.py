import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def sgd(weight_ptr, grad_ptr, speed_ptr, SIZE, rate, momentum, decay, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < SIZE
    weight = tl.load(weight_ptr + i, mask=ok, other=0.0)
    grad = tl.load(grad_ptr + i, mask=ok, other=0.0) + decay * weight
    speed = momentum * tl.load(speed_ptr + i, mask=ok, other=0.0) + grad
    tl.store(speed_ptr + i, speed, mask=ok)
    tl.store(weight_ptr + i, weight - rate * (grad + momentum * speed), mask=ok)


class ModelNew(nn.Module):
    def __init__(self, rate, momentum, decay):
        super().__init__()
        self.rate, self.momentum, self.decay = rate, momentum, decay

    def forward(self, weight, grad, speed):
        size = weight.numel()
        sgd[(triton.cdiv(size, 128),)](weight, grad, speed, size, self.rate, self.momentum, self.decay, BLOCK=128)
        return weight
