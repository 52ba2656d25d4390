# kernelwright module 1
# name: dw
# level: triton  digest: e968470f4e41
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[2, 6, 9, 15]"],
    "state": ["conv.weight -> conv_weight: f32[6, 1, 3, 2]", "conv.bias -> conv_bias: f32[6]"],
    "outputs": ["out: f32[2, 6, 9, 14]"],
    "returns": "tensor",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "source": '''\
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(6, 6, (3, 2), padding=(1, 0), groups=6)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.randn(2, 6, 9, 15)]
''',
}


# covers: aten.convolution
@triton.jit
def depthwise_conv2d(x_ptr, weight_ptr, bias_ptr, out_ptr, XBLOCK: tl.constexpr):
    tiles: tl.constexpr = (42 + XBLOCK - 1) // XBLOCK
    plane = tl.program_id(0) // tiles
    lane = tl.program_id(0) % tiles * XBLOCK + tl.arange(0, XBLOCK)
    inside = lane < 42
    channel = plane % 6
    batch = plane // 6
    ox = lane % 14
    oy = lane // 14 * 4
    iy = oy - 1
    ix = ox
    x_at = x_ptr + (810 * batch + 135 * channel + 15 * iy + ix)
    weight_at = weight_ptr + 6 * channel
    w_0_0 = tl.load(weight_at + 0)
    w_0_1 = tl.load(weight_at + 1)
    w_1_0 = tl.load(weight_at + 2)
    w_1_1 = tl.load(weight_at + 3)
    w_2_0 = tl.load(weight_at + 4)
    w_2_1 = tl.load(weight_at + 5)
    bias = tl.load(bias_ptr + channel)
    acc_0 = tl.zeros([XBLOCK], tl.float32) + bias
    acc_1 = tl.zeros([XBLOCK], tl.float32) + bias
    acc_2 = tl.zeros([XBLOCK], tl.float32) + bias
    acc_3 = tl.zeros([XBLOCK], tl.float32) + bias
    row = inside & (iy >= 0)
    value = tl.load(x_at + 0, row, other=0.0)
    acc_0 += value * w_0_0
    value = tl.load(x_at + 1, row, other=0.0)
    acc_0 += value * w_0_1
    value = tl.load(x_at + 15, inside, other=0.0)
    acc_0 += value * w_1_0
    acc_1 += value * w_0_0
    value = tl.load(x_at + 16, inside, other=0.0)
    acc_0 += value * w_1_1
    acc_1 += value * w_0_1
    row = inside & (iy + 2 < 9)
    value = tl.load(x_at + 30, row, other=0.0)
    acc_0 += value * w_2_0
    acc_1 += value * w_1_0
    acc_2 += value * w_0_0
    value = tl.load(x_at + 31, row, other=0.0)
    acc_0 += value * w_2_1
    acc_1 += value * w_1_1
    acc_2 += value * w_0_1
    row = inside & (iy + 3 < 9)
    value = tl.load(x_at + 45, row, other=0.0)
    acc_1 += value * w_2_0
    acc_2 += value * w_1_0
    acc_3 += value * w_0_0
    value = tl.load(x_at + 46, row, other=0.0)
    acc_1 += value * w_2_1
    acc_2 += value * w_1_1
    acc_3 += value * w_0_1
    row = inside & (iy + 4 < 9)
    value = tl.load(x_at + 60, row, other=0.0)
    acc_2 += value * w_2_0
    acc_3 += value * w_1_0
    value = tl.load(x_at + 61, row, other=0.0)
    acc_2 += value * w_2_1
    acc_3 += value * w_1_1
    row = inside & (iy + 5 < 9)
    value = tl.load(x_at + 75, row, other=0.0)
    acc_3 += value * w_2_0
    value = tl.load(x_at + 76, row, other=0.0)
    acc_3 += value * w_2_1
    out_at = 756 * batch + 126 * channel + 14 * oy + ox
    tl.store(out_ptr + out_at, acc_0, inside)
    tl.store(out_ptr + (out_at + 14), acc_1, inside & (oy + 1 < 9))
    tl.store(out_ptr + (out_at + 28), acc_2, inside & (oy + 2 < 9))
    tl.store(out_ptr + (out_at + 42), acc_3, inside & (oy + 3 < 9))

depthwise_conv2d_meta = {"XBLOCK": 64, "num_warps": 1}


def forward(x: "f32[2, 6, 9, 15]", conv_weight: "f32[6, 1, 3, 2]", conv_bias: "f32[6]"):
    out = torch.empty_strided((2, 6, 9, 14), (756, 126, 14, 1), device=x.device, dtype=torch.float32)
    depthwise_conv2d[12 * triton.cdiv(42, depthwise_conv2d_meta['XBLOCK']),](x, conv_weight, conv_bias, out, **depthwise_conv2d_meta)
    return out
