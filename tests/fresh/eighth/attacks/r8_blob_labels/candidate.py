import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def spread(mask_ptr, label_ptr, H: tl.constexpr, W: tl.constexpr, ROUNDS: tl.constexpr, BLOCK: tl.constexpr):
    image = tl.program_id(0)
    place = tl.arange(0, BLOCK)
    inside = place < H * W
    row = place // W
    column = place % W
    base = image * H * W
    on = tl.load(mask_ptr + base + place, mask=inside, other=0).to(tl.int1)
    label = tl.where(on, place + 1, 0)
    tl.store(label_ptr + base + place, label, mask=inside)
    tl.debug_barrier()
    for _ in range(ROUNDS):
        up = tl.load(label_ptr + base + place - W, mask=inside & (row > 0), other=0)
        down = tl.load(label_ptr + base + place + W, mask=inside & (row < H - 1), other=0)
        left = tl.load(label_ptr + base + place - 1, mask=inside & (column > 0), other=0)
        right = tl.load(label_ptr + base + place + 1, mask=inside & (column < W - 1), other=0)
        near = tl.maximum(tl.maximum(up, down), tl.maximum(left, right))
        label = tl.where(on, tl.maximum(label, near), 0)
        tl.debug_barrier()
        tl.store(label_ptr + base + place, label, mask=inside)
        tl.debug_barrier()


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, mask):
        batch, height, width = mask.shape
        label = torch.empty((batch, height, width), dtype=torch.int32, device=mask.device)
        # the label of a corner reaches the opposite corner in height + width rounds
        spread[(batch,)](mask, label, height, width, height + width, triton.next_power_of_2(height * width))
        return label
