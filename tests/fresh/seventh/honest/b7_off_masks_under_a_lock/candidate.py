import threading

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def banded_softmax(s, mask, y, T, B: tl.constexpr):
    i = tl.program_id(0)
    b = tl.program_id(1)
    j = tl.arange(0, B)
    keep = tl.load(mask + i * T + j, mask=j < T, other=0) != 0
    v = tl.load(s + (b * T + i) * T + j, mask=keep, other=float("-inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(y + (b * T + i) * T + j, e / tl.sum(e, 0), mask=j < T)


LOCK = threading.Lock()
MASKS = {}


def band(t, width, device):
    with LOCK:
        key = (t, width, device)
        if key not in MASKS:
            if len(MASKS) >= 16:
                MASKS.clear()
            gap = torch.arange(t, device=device)[:, None] - torch.arange(t, device=device)
            MASKS[key] = (gap >= 0) & (gap < width)
        return MASKS[key]


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width

    def forward(self, scores):
        n, t, _ = scores.shape
        y = torch.empty_like(scores)
        banded_softmax[(t, n)](scores, band(t, self.width, scores.device), y, t, B=triton.next_power_of_2(t))
        return y
