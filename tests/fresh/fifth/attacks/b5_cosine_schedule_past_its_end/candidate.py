import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def sgd(weight_ptr, grad_ptr, step_ptr, out_ptr, count, total, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    progress = tl.load(step_ptr).to(tl.float32) / total
    rate = 0.01 + 0.5 * (0.5 - 0.01) * (1.0 + tl.cos(3.141592653589793 * progress))
    weight = tl.load(weight_ptr + at, mask=inside, other=0.0)
    grad = tl.load(grad_ptr + at, mask=inside, other=0.0)
    tl.store(out_ptr + at, weight - rate * grad, mask=inside)


@triton.jit
def count_up(step_ptr):
    step = tl.load(step_ptr)
    tl.debug_barrier()
    tl.store(step_ptr, step + 1)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("step", torch.tensor(0))

    def forward(self, weight, grad):
        out = torch.empty_like(weight)
        sgd[(triton.cdiv(weight.numel(), 256),)](weight, grad, self.step, out, weight.numel(), 10000.0, 256)
        count_up[(1,)](self.step)
        return out
