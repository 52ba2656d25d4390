import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def expert_linear(x_ptr, e_ptr, w_ptr, y_ptr, experts, D, H, BD: tl.constexpr, BH: tl.constexpr):
    t = tl.program_id(0)
    h = tl.program_id(1) * BH + tl.arange(0, BH)
    e = tl.load(e_ptr + t)
    e = tl.where(e < 0, e + experts, e)
    acc = tl.zeros([BH], tl.float32)
    for d0 in range(0, D, BD):
        d = d0 + tl.arange(0, BD)
        x = tl.load(x_ptr + t * D + d, mask=d < D, other=0.0)
        w = tl.load(w_ptr + (e * H + h[:, None]) * D + d[None, :], mask=(h[:, None] < H) & (d[None, :] < D), other=0.0)
        acc += tl.sum(w * x[None, :], 1)
    tl.store(y_ptr + t * H + h, acc, mask=h < H)


class ModelNew(nn.Module):
    def __init__(self, experts, d, h):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(experts, h, d) * 0.2)

    def forward(self, x, expert):
        T, D = x.shape
        H = self.weight.shape[1]
        y = torch.empty((T, H), device=x.device, dtype=x.dtype)
        expert_linear[(T, triton.cdiv(H, 8))](x, expert, self.weight, y, self.weight.shape[0], D, H, BD=16, BH=8)
        return y
