# kernelwright module 1
# name: dwl
# level: triton  digest: 299fd2bd0e1b
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
    channels = tl.program_id(0) % blocks * CBLOCK + tl.arange(0, CBLOCK)
    known = channels < 6
    channel = channels[None, :]
    chunk = tl.program_id(0) // blocks % 5
    lane = tl.program_id(0) // blocks // 5 * PBLOCK + tl.arange(0, PBLOCK)[:, None]
    inside = (lane < 10) & known[None, :]
    ox = lane % 5 * 3
    batch = lane // 5
    ix = ox
    x_at = x_ptr + (810 * batch + channel + 6 * ix)
    out_at = out_ptr + (756 * batch + channel + 6 * ox)
    first = chunk * 2
    last = tl.minimum(first + 2, 9)
    begin = tl.maximum(first - 1, 0)
    end = tl.minimum(last + 1, 9)
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
    nothing = tl.zeros([PBLOCK, CBLOCK], tl.float32) + bias
    acc_0_0 = nothing
    acc_0_1 = nothing
    acc_0_2 = nothing
    acc_1_0 = nothing
    acc_1_1 = nothing
    acc_1_2 = nothing
    acc_2_0 = nothing
    acc_2_1 = nothing
    acc_2_2 = nothing
    x_0 = inside
    x_1 = inside
    x_2 = inside
    x_3 = inside & (ix + 3 < 15)
    out_0 = inside
    out_1 = inside & (ox + 1 < 14)
    out_2 = inside & (ox + 2 < 14)
    for row in range(begin, end):
        x_row = x_at + 90 * row
        value = tl.load(x_row, x_0, other=0.0)
        acc_0_0 += value * w_2_0
        acc_1_0 += value * w_1_0
        acc_2_0 += value * w_0_0
        value = tl.load(x_row + 6, x_1, other=0.0)
        acc_0_0 += value * w_2_1
        acc_0_1 += value * w_2_0
        acc_1_0 += value * w_1_1
        acc_1_1 += value * w_1_0
        acc_2_0 += value * w_0_1
        acc_2_1 += value * w_0_0
        value = tl.load(x_row + 12, x_2, other=0.0)
        acc_0_1 += value * w_2_1
        acc_0_2 += value * w_2_0
        acc_1_1 += value * w_1_1
        acc_1_2 += value * w_1_0
        acc_2_1 += value * w_0_1
        acc_2_2 += value * w_0_0
        value = tl.load(x_row + 18, x_3, other=0.0)
        acc_0_2 += value * w_2_1
        acc_1_2 += value * w_1_1
        acc_2_2 += value * w_0_1
        oy = row - 1
        tl.store(out_at + 84 * oy, acc_0_0, out_0 & (oy >= first))
        tl.store(out_at + 84 * oy + 6, acc_0_1, out_1 & (oy >= first))
        tl.store(out_at + 84 * oy + 12, acc_0_2, out_2 & (oy >= first))
        acc_0_0 = acc_1_0
        acc_0_1 = acc_1_1
        acc_0_2 = acc_1_2
        acc_1_0 = acc_2_0
        acc_1_1 = acc_2_1
        acc_1_2 = acc_2_2
        acc_2_0 = nothing
        acc_2_1 = nothing
        acc_2_2 = nothing
    for row in range(end, last + 1):
        oy = row - 1
        tl.store(out_at + 84 * oy, acc_0_0, out_0 & (oy >= first))
        tl.store(out_at + 84 * oy + 6, acc_0_1, out_1 & (oy >= first))
        tl.store(out_at + 84 * oy + 12, acc_0_2, out_2 & (oy >= first))
        acc_0_0 = acc_1_0
        acc_0_1 = acc_1_1
        acc_0_2 = acc_1_2
        acc_1_0 = acc_2_0
        acc_1_1 = acc_2_1
        acc_1_2 = acc_2_2
        acc_2_0 = nothing
        acc_2_1 = nothing
        acc_2_2 = nothing

depthwise_conv2d_meta = {"PBLOCK": 4, "CBLOCK": 8, "num_warps": 1}


def forward(x: "f32[2, 6, 9, 15]@[810, 1, 90, 6]", conv_weight: "f32[6, 1, 3, 2]", conv_bias: "f32[6]"):
    out = torch.empty_strided((2, 6, 9, 14), (756, 1, 84, 6), device=x.device, dtype=torch.float32)
    depthwise_conv2d[triton.cdiv(10, depthwise_conv2d_meta['PBLOCK']) * 5 * triton.cdiv(6, depthwise_conv2d_meta['CBLOCK']),](x, conv_weight, conv_bias, out, **depthwise_conv2d_meta)
    return out
