import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def bn_hardtanh(x_ptr, m_ptr, v_ptr, w_ptr, b_ptr, y_ptr, C, total, eps, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < total
    c = i % C
    scale = tl.load(w_ptr + c, mask=ok, other=0.0) / tl.sqrt(tl.load(v_ptr + c, mask=ok, other=1.0) + eps)
    x = tl.load(x_ptr + i, mask=ok, other=0.0)
    y = (x - tl.load(m_ptr + c, mask=ok, other=0.0)) * scale + tl.load(b_ptr + c, mask=ok, other=0.0)
    tl.store(y_ptr + i, tl.minimum(tl.maximum(y, -1.0), 1.0), mask=ok)


class ModelNew(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.bn = nn.BatchNorm1d(c)
        self.bn.running_mean.normal_()
        self.bn.running_var.uniform_(0.5, 2.0)
        self.eval()

    def forward(self, x):
        bn = self.bn
        y = torch.empty_like(x)
        bn_hardtanh[(triton.cdiv(x.numel(), 64),)](x.contiguous(), bn.running_mean, bn.running_var, bn.weight, bn.bias, y, x.shape[1], x.numel(), bn.eps, BLOCK=64)
        return y
