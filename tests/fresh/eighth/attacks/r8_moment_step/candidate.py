import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def power(base, count, BITS: tl.constexpr):
    """base ** count by squaring."""
    result = 1.0
    square = base
    for bit in range(BITS):
        result = tl.where((count >> bit) & 1 == 1, result * square, result)
        square = square * square
    return result


@triton.jit
def adam(weight_ptr, grad_ptr, mean_ptr, square_ptr, step_ptr, out_ptr, rate, first, second, SIZE,
         BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = place < SIZE
    step = tl.load(step_ptr)
    weight = tl.load(weight_ptr + place, mask=inside, other=0.0)
    grad = tl.load(grad_ptr + place, mask=inside, other=0.0)
    mean = tl.load(mean_ptr + place, mask=inside, other=0.0)
    square = tl.load(square_ptr + place, mask=inside, other=0.0)
    mean = first * mean + (1.0 - first) * grad
    square = second * square + (1.0 - second) * grad * grad
    near = mean / (1.0 - power(first, step, 17))
    root = tl.sqrt(square / (1.0 - power(second, step, 17)))
    tl.store(mean_ptr + place, mean, mask=inside)
    tl.store(square_ptr + place, square, mask=inside)
    tl.store(out_ptr + place, weight - rate * near / (root + 1e-8), mask=inside)


class ModelNew(nn.Module):
    def __init__(self, rate, first, second):
        super().__init__()
        self.rate, self.first, self.second = rate, first, second

    def forward(self, weight, grad, mean, square, step):
        out = torch.empty_like(weight)
        size = weight.numel()
        adam[(triton.cdiv(size, 256),)](
            weight, grad, mean, square, step, out, self.rate, self.first, self.second, size, 256
        )
        return out
