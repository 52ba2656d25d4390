import torch
import triton
import triton.language as tl


@triton.jit
def most_likely(x_ptr, out_ptr, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * WIDTH + c, c < WIDTH, -float("inf"))
    top = tl.max(x, axis=0)
    place = tl.max(tl.where((x == top) & (c < WIDTH), c, 0), axis=0)
    tl.store(out_ptr + row, place.to(tl.int64))


def forward(logits):
    out = torch.empty((logits.shape[0],), device=logits.device, dtype=torch.int64)
    most_likely[(logits.shape[0],)](logits, out, logits.shape[1], triton.next_power_of_2(logits.shape[1]))
    return out
