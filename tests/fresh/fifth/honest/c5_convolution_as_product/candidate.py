import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def convolve(x_ptr, w_ptr, b_ptr, out_ptr, inner, outer, height, width, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    sample = tl.program_id(2)
    pixel = tl.program_id(0) * BM + tl.arange(0, BM)
    channel = tl.program_id(1) * BN + tl.arange(0, BN)
    y = pixel // width
    x = pixel % width
    acc = tl.zeros([BM, BN], dtype=tl.float32)
    for start in range(0, inner * 9, BK):
        k = start + tl.arange(0, BK)
        tap = k % 9
        yy = y[:, None] + (tap // 3)[None, :] - 1
        xx = x[:, None] + (tap % 3)[None, :] - 1
        there = (pixel[:, None] < height * width) & (k[None, :] < inner * 9) & (yy >= 0) & (yy < height) & (xx >= 0) & (xx < width)
        a = tl.load(x_ptr + ((sample * inner + k[None, :] // 9) * height + yy) * width + xx, mask=there, other=0.0)
        w = tl.load(w_ptr + channel[None, :] * inner * 9 + k[:, None], mask=(channel[None, :] < outer) & (k[:, None] < inner * 9), other=0.0)
        acc += tl.dot(a, w, input_precision="ieee")
    acc += tl.load(b_ptr + channel, mask=channel < outer, other=0.0)[None, :]
    acc = tl.where(acc < 0.0, 0.0, acc)
    tl.store(out_ptr + (sample * outer + channel[None, :]) * height * width + pixel[:, None], acc,
             mask=(pixel[:, None] < height * width) & (channel[None, :] < outer))


class ModelNew(nn.Module):
    def __init__(self, inner, outer):
        super().__init__()
        self.conv = nn.Conv2d(inner, outer, 3, padding=1)

    def forward(self, x):
        n, inner, height, width = x.shape
        outer = self.conv.weight.shape[0]
        out = torch.empty(n, outer, height, width, device=x.device, dtype=x.dtype)
        grid = (triton.cdiv(height * width, 32), triton.cdiv(outer, 16), n)
        convolve[grid](x, self.conv.weight, self.conv.bias, out, inner, outer, height, width, BM=32, BN=16, BK=16)
        return out
