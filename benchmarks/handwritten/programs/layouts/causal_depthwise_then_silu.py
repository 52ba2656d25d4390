# reference: causal_depthwise
# way: epilogue
# faster: bias and SiLU are a kernel of their own after the convolution
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def depthwise(x_ptr, w_ptr, y_ptr, C, T, BLOCK: tl.constexpr):
    plane = tl.program_id(0)
    c = plane % C
    t = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    row = x_ptr + plane * T
    w0 = tl.load(w_ptr + c * 4)
    w1 = tl.load(w_ptr + c * 4 + 1)
    w2 = tl.load(w_ptr + c * 4 + 2)
    w3 = tl.load(w_ptr + c * 4 + 3)
    y = w0 * tl.load(row + t - 3, mask=(t >= 3) & (t < T), other=0.0)
    y += w1 * tl.load(row + t - 2, mask=(t >= 2) & (t < T), other=0.0)
    y += w2 * tl.load(row + t - 1, mask=(t >= 1) & (t < T), other=0.0)
    y += w3 * tl.load(row + t, mask=t < T, other=0.0)
    tl.store(y_ptr + plane * T + t, y, mask=t < T)


@triton.jit
def bias_silu(y_ptr, b_ptr, out_ptr, C, T, BLOCK: tl.constexpr):
    plane = tl.program_id(0)
    t = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(y_ptr + plane * T + t, mask=t < T, other=0.0) + tl.load(b_ptr + plane % C)
    tl.store(out_ptr + plane * T + t, v * tl.sigmoid(v), mask=t < T)


class ModelNew(nn.Module):
    def forward(self, x, weight, bias):
        B, C, T = x.shape
        grid = (B * C, triton.cdiv(T, 128))
        y = torch.empty_like(x)
        depthwise[grid](x, weight, y, C, T, BLOCK=128)
        out = torch.empty_like(x)
        bias_silu[grid](y, bias, out, C, T, BLOCK=128)
        return out
