import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def suppress(boxes_ptr, keep_ptr, count, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    inside = i < count
    x = tl.load(boxes_ptr + i * 4, mask=inside, other=0.0)
    y = tl.load(boxes_ptr + i * 4 + 1, mask=inside, other=0.0)
    w = tl.abs(tl.load(boxes_ptr + i * 4 + 2, mask=inside, other=0.0))
    h = tl.abs(tl.load(boxes_ptr + i * 4 + 3, mask=inside, other=0.0))
    left, right, top, bottom = x - w, x + w, y - h, y + h
    area = (right - left) * (bottom - top)
    across = tl.minimum(right[:, None], right[None, :]) - tl.maximum(left[:, None], left[None, :])
    down = tl.minimum(bottom[:, None], bottom[None, :]) - tl.maximum(top[:, None], top[None, :])
    both = tl.maximum(across, 0.0) * tl.maximum(down, 0.0)
    hit = both > 0.3 * (area[:, None] + area[None, :] - both)
    earlier = hit & (i[:, None] < i[None, :]) & inside[:, None]
    keep = tl.full([BLOCK], 1, tl.int32)
    for _ in range(10):
        keep = 1 - tl.max(tl.where(earlier, 1, 0) * keep[:, None], axis=0)
    tl.store(keep_ptr + i, keep != 0, mask=inside)


class ModelNew(nn.Module):
    def forward(self, boxes):
        boxes = boxes.contiguous()
        keep = torch.empty(boxes.shape[0], device=boxes.device, dtype=torch.bool)
        suppress[(1,)](boxes, keep, boxes.shape[0], BLOCK=triton.next_power_of_2(boxes.shape[0]))
        return keep
