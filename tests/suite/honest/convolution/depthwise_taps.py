# reference: conv1d_depthwise
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def depthwise_conv1d(x_ptr, w_ptr, b_ptr, y_ptr, C, L, PAD, KS: tl.constexpr, BLOCK: tl.constexpr):
    plane = tl.program_id(0)
    channel = plane % C
    t = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), dtype=tl.float32) + tl.load(b_ptr + channel)
    for k in tl.static_range(KS):
        s = t + k - PAD
        inside = (s >= 0) & (s < L)
        acc += tl.load(x_ptr + plane * L + s, mask=inside, other=0.0) * tl.load(w_ptr + channel * KS + k)
    tl.store(y_ptr + plane * L + t, acc, mask=t < L)


class ModelNew(nn.Module):
    def __init__(self, channels: int, kernel_size: int):
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, kernel_size, padding=kernel_size // 2, groups=channels)

    def forward(self, x):
        x = x.contiguous()
        N, C, L = x.shape
        y = torch.empty_like(x)
        ks = self.conv.kernel_size[0]
        depthwise_conv1d[(N * C, triton.cdiv(L, 32))](
            x, self.conv.weight, self.conv.bias, y, C, L, self.conv.padding[0], KS=ks, BLOCK=32
        )
        return y
