# reference: batchnorm
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def bn_inference_kernel(x_ptr, mean_ptr, var_ptr, weight_ptr, bias_ptr, y_ptr, total, C, HW, eps, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < total
    c = (i // HW) % C
    mean = tl.load(mean_ptr + c, mask=mask, other=0.0)
    var = tl.load(var_ptr + c, mask=mask, other=1.0)
    gain = tl.load(weight_ptr + c, mask=mask, other=1.0)
    bias = tl.load(bias_ptr + c, mask=mask, other=0.0)
    x = tl.load(x_ptr + i, mask=mask, other=0.0)
    tl.store(y_ptr + i, (x - mean) * tl.rsqrt(var + eps) * gain + bias, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, channels: int):
        super().__init__()
        self.bn = nn.BatchNorm2d(channels)
        nn.init.normal_(self.bn.running_mean)
        nn.init.uniform_(self.bn.running_var, 0.5, 2.0)
        nn.init.normal_(self.bn.weight)
        nn.init.normal_(self.bn.bias)

    def forward(self, x):
        x = x.contiguous()
        N, C, H, W = x.shape
        y = torch.empty_like(x)
        bn = self.bn
        bn_inference_kernel[(triton.cdiv(x.numel(), 256),)](
            x, bn.running_mean, bn.running_var, bn.weight, bn.bias, y, x.numel(), C, H * W, bn.eps, BLOCK=256
        )
        return y
