import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def add_up(grad_ptr, part_ptr, SIZE, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    grad = tl.load(grad_ptr + place, mask=place < SIZE, other=0.0)
    tl.store(part_ptr + tl.program_id(0), tl.sum(grad))


@triton.jit
def step(weight_ptr, grad_ptr, scale_ptr, part_ptr, out_ptr, fine_ptr, rate, PARTS, SIZE, BLOCK: tl.constexpr,
         MANY: tl.constexpr):
    number = tl.arange(0, MANY)
    total = tl.sum(tl.load(part_ptr + number, mask=number < PARTS, other=0.0))
    # an infinity or a NaN anywhere makes the sum one
    fine = tl.abs(total) < float("inf")
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    weight = tl.load(weight_ptr + place, mask=place < SIZE, other=0.0)
    grad = tl.load(grad_ptr + place, mask=place < SIZE, other=0.0)
    scale = tl.load(scale_ptr)
    tl.store(out_ptr + place, tl.where(fine, weight - rate * (grad / scale), weight), mask=place < SIZE)
    if tl.program_id(0) == 0:
        tl.store(fine_ptr, fine)


class ModelNew(nn.Module):
    def __init__(self, rate):
        super().__init__()
        self.rate = rate

    def forward(self, weight, grad, scale):
        size = weight.numel()
        parts = triton.cdiv(size, 256)
        sums = torch.empty((parts,), dtype=torch.float32, device=weight.device)
        out = torch.empty_like(weight)
        fine = torch.empty((), dtype=torch.bool, device=weight.device)
        add_up[(parts,)](grad, sums, size, 256)
        step[(parts,)](weight, grad, scale, sums, out, fine, self.rate, parts, size, 256, triton.next_power_of_2(parts))
        return out, fine
