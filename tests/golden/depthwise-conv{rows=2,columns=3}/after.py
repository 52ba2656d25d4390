# kernelwright module 1
# name: dwl
# level: triton  digest: 6bda0aec0c82
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[2, 6, 9, 15]@[810, 1, 90, 6]"],
    "state": ["conv.weight -> conv_weight: f32[6, 1, 3, 2]", "conv.bias -> conv_bias: f32[6]"],
    "outputs": ["out: f32[2, 6, 9, 14]@[756, 1, 84, 6]"],
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
    return [torch.randn(2, 6, 9, 15).to(memory_format=torch.channels_last)]
''',
}


# covers: aten.convolution
@triton.jit
def depthwise_conv2d(x_ptr, weight_ptr, bias_ptr, out_ptr, PBLOCK: tl.constexpr, CBLOCK: tl.constexpr):
    blocks: tl.constexpr = (6 + CBLOCK - 1) // CBLOCK
    lane = tl.program_id(0) // blocks * PBLOCK + tl.arange(0, PBLOCK)[:, None]
    channels = tl.program_id(0) % blocks * CBLOCK + tl.arange(0, CBLOCK)
    known = channels < 6
    channel = channels[None, :]
    inside = (lane < 50) & known[None, :]
    oy = lane % 5 * 2
    ox = lane // 5 % 5 * 3
    batch = lane // 5 // 5
    iy = oy - 1
    ix = ox
    x_at = x_ptr + (810 * batch + channel + 90 * iy + 6 * ix)
    weight_at = weight_ptr + (6 * channels)[:, None]
    tap = tl.arange(0, 2)[None, :]
    stored = known[:, None]
    line_0 = tl.load(weight_at + tap, stored, other=0.0)
    line_0_0, line_0_1 = tl.split(line_0)
    w_0_0 = line_0_0[None, :]
    w_0_1 = line_0_1[None, :]
    line_1 = tl.load(weight_at + 2 + tap, stored, other=0.0)
    line_1_0, line_1_1 = tl.split(line_1)
    w_1_0 = line_1_0[None, :]
    w_1_1 = line_1_1[None, :]
    line_2 = tl.load(weight_at + 4 + tap, stored, other=0.0)
    line_2_0, line_2_1 = tl.split(line_2)
    w_2_0 = line_2_0[None, :]
    w_2_1 = line_2_1[None, :]
    bias = tl.load(bias_ptr + channels, known, other=0.0)[None, :]
    acc_0_0 = tl.zeros([PBLOCK, CBLOCK], tl.float32) + bias
    acc_0_1 = tl.zeros([PBLOCK, CBLOCK], tl.float32) + bias
    acc_0_2 = tl.zeros([PBLOCK, CBLOCK], tl.float32) + bias
    acc_1_0 = tl.zeros([PBLOCK, CBLOCK], tl.float32) + bias
    acc_1_1 = tl.zeros([PBLOCK, CBLOCK], tl.float32) + bias
    acc_1_2 = tl.zeros([PBLOCK, CBLOCK], tl.float32) + bias
    x_3 = (ix + 3 < 15)
    row = inside & (iy >= 0)
    value = tl.load(x_at + 0, row, other=0.0)
    acc_0_0 += value * w_0_0
    value = tl.load(x_at + 6, row, other=0.0)
    acc_0_0 += value * w_0_1
    acc_0_1 += value * w_0_0
    value = tl.load(x_at + 12, row, other=0.0)
    acc_0_1 += value * w_0_1
    acc_0_2 += value * w_0_0
    value = tl.load(x_at + 18, row & x_3, other=0.0)
    acc_0_2 += value * w_0_1
    value = tl.load(x_at + 90, inside, other=0.0)
    acc_0_0 += value * w_1_0
    acc_1_0 += value * w_0_0
    value = tl.load(x_at + 96, inside, other=0.0)
    acc_0_0 += value * w_1_1
    acc_0_1 += value * w_1_0
    acc_1_0 += value * w_0_1
    acc_1_1 += value * w_0_0
    value = tl.load(x_at + 102, inside, other=0.0)
    acc_0_1 += value * w_1_1
    acc_0_2 += value * w_1_0
    acc_1_1 += value * w_0_1
    acc_1_2 += value * w_0_0
    value = tl.load(x_at + 108, inside & x_3, other=0.0)
    acc_0_2 += value * w_1_1
    acc_1_2 += value * w_0_1
    row = inside & (iy + 2 < 9)
    value = tl.load(x_at + 180, row, other=0.0)
    acc_0_0 += value * w_2_0
    acc_1_0 += value * w_1_0
    value = tl.load(x_at + 186, row, other=0.0)
    acc_0_0 += value * w_2_1
    acc_0_1 += value * w_2_0
    acc_1_0 += value * w_1_1
    acc_1_1 += value * w_1_0
    value = tl.load(x_at + 192, row, other=0.0)
    acc_0_1 += value * w_2_1
    acc_0_2 += value * w_2_0
    acc_1_1 += value * w_1_1
    acc_1_2 += value * w_1_0
    value = tl.load(x_at + 198, row & x_3, other=0.0)
    acc_0_2 += value * w_2_1
    acc_1_2 += value * w_1_1
    row = inside & (iy + 3 < 9)
    value = tl.load(x_at + 270, row, other=0.0)
    acc_1_0 += value * w_2_0
    value = tl.load(x_at + 276, row, other=0.0)
    acc_1_0 += value * w_2_1
    acc_1_1 += value * w_2_0
    value = tl.load(x_at + 282, row, other=0.0)
    acc_1_1 += value * w_2_1
    acc_1_2 += value * w_2_0
    value = tl.load(x_at + 288, row & x_3, other=0.0)
    acc_1_2 += value * w_2_1
    out_at = out_ptr + (756 * batch + channel + 84 * oy + 6 * ox)
    tl.store(out_at + 0, acc_0_0, inside)
    tl.store(out_at + 6, acc_0_1, inside & (ox + 1 < 14))
    tl.store(out_at + 12, acc_0_2, inside & (ox + 2 < 14))
    tl.store(out_at + 84, acc_1_0, inside & (oy + 1 < 9))
    tl.store(out_at + 90, acc_1_1, inside & (oy + 1 < 9) & (ox + 1 < 14))
    tl.store(out_at + 96, acc_1_2, inside & (oy + 1 < 9) & (ox + 2 < 14))

depthwise_conv2d_meta = {"PBLOCK": 4, "CBLOCK": 8, "num_warps": 1}


def forward(x: "f32[2, 6, 9, 15]@[810, 1, 90, 6]", conv_weight: "f32[6, 1, 3, 2]", conv_bias: "f32[6]"):
    out = torch.empty_strided((2, 6, 9, 14), (756, 1, 84, 6), device=x.device, dtype=torch.float32)
    depthwise_conv2d[triton.cdiv(50, depthwise_conv2d_meta['PBLOCK']) * triton.cdiv(6, depthwise_conv2d_meta['CBLOCK']),](x, conv_weight, conv_bias, out, **depthwise_conv2d_meta)
    return out
