import torch
import triton
import triton.language as tl


@triton.jit
def average(x_ptr, y_ptr, H, W, HO, WO, BH: tl.constexpr, BW: tl.constexpr):
    plane = tl.program_id(0)
    oh = tl.arange(0, BH)[:, None]
    ow = tl.arange(0, BW)[None, :]
    total = tl.zeros([BH, BW], tl.float32)
    count = tl.zeros([BH, BW], tl.float32)
    for k in range(9):
        ih = oh * 2 - 1 + k // 3
        iw = ow * 2 - 1 + k % 3
        inside = (ih >= 0) & (ih < H) & (iw >= 0) & (iw < W)
        total += tl.load(x_ptr + plane * H * W + ih * W + iw, mask=inside, other=0.0)
        count += inside.to(tl.float32)
    tl.store(y_ptr + plane * HO * WO + oh * WO + ow, total / tl.maximum(count, 1.0), mask=(oh < HO) & (ow < WO))


def forward(x):
    B, C, H, W = x.shape
    HO, WO = (H - 1) // 2 + 1, (W - 1) // 2 + 1
    y = torch.empty((B, C, HO, WO), device=x.device, dtype=x.dtype)
    average[(B * C,)](x, y, H, W, HO, WO, BH=triton.next_power_of_2(HO), BW=triton.next_power_of_2(WO))
    return y
