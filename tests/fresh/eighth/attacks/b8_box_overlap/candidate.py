import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def iou_tile(a_ptr, b_ptr, out_ptr, n, m, N: tl.constexpr, M: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    j = tl.arange(0, M)
    ai = i < n
    bj = j < m
    ax0 = tl.load(a_ptr + i * 4, mask=ai, other=0.0)[:, None]
    ay0 = tl.load(a_ptr + i * 4 + 1, mask=ai, other=0.0)[:, None]
    ax1 = tl.load(a_ptr + i * 4 + 2, mask=ai, other=0.0)[:, None]
    ay1 = tl.load(a_ptr + i * 4 + 3, mask=ai, other=0.0)[:, None]
    bx0 = tl.load(b_ptr + j * 4, mask=bj, other=0.0)[None, :]
    by0 = tl.load(b_ptr + j * 4 + 1, mask=bj, other=0.0)[None, :]
    bx1 = tl.load(b_ptr + j * 4 + 2, mask=bj, other=0.0)[None, :]
    by1 = tl.load(b_ptr + j * 4 + 3, mask=bj, other=0.0)[None, :]
    w = tl.minimum(ax1, bx1) - tl.maximum(ax0, bx0)
    h = tl.minimum(ay1, by1) - tl.maximum(ay0, by0)
    inter = tl.maximum(w * h, 0.0)
    union = (ax1 - ax0) * (ay1 - ay0) + (bx1 - bx0) * (by1 - by0) - inter
    tl.store(out_ptr + i[:, None] * m + j[None, :], inter / (union + 1e-7), mask=ai[:, None] & bj[None, :])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, boxes, truths):
        n = boxes.shape[0]
        m = truths.shape[0]
        out = torch.empty((n, m), device=boxes.device, dtype=torch.float32)
        iou_tile[(triton.cdiv(n, 16),)](boxes, truths, out, n, m, N=16, M=triton.next_power_of_2(m))
        return out
