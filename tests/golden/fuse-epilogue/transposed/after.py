# kernelwright module 1
# name: fe
# level: triton  digest: 18358a6a9b90
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[2, 3, 5, 6]"],
    "state": [
        "shift -> shift: f32[4, 1, 1]",
        "conv.weight -> conv_weight: f32[3, 4, 3, 3]",
        "conv.bias -> conv_bias: f32[4]",
    ],
    "outputs": ["out: f32[2, 4, 11, 13]"],
    "returns": "tensor",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "source": '''\
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.ConvTranspose2d(3, 4, 3, stride=2)
        self.shift = nn.Parameter(torch.randn(4, 1, 1))

    def forward(self, x):
        return torch.relu(self.conv(x)) * self.shift


def get_inputs():
    return [torch.randn(2, 3, 5, 6)]
''',
}


@triton.jit
def maximum(a, b):
    return tl.where((a > b) | (a != a), a, b)


# covers: aten.convolution, aten.relu, aten.mul
@triton.jit
def conv_transpose2d_relu_mul(x_ptr, weight_ptr, bias_ptr, shift_ptr, out_ptr_1, NBLOCK: tl.constexpr, MBLOCK: tl.constexpr):
    tiles: tl.constexpr = (4 + NBLOCK - 1) // NBLOCK
    tile = tl.program_id(0) // tiles
    channel = tl.program_id(0) % tiles * NBLOCK + tl.arange(0, NBLOCK)[:, None]
    phase = tile % 4
    pixel = tile // 4 * MBLOCK + tl.arange(0, MBLOCK)[None, :]
    rx = phase % 2
    ry = phase // 2
    qx = pixel % 7
    qy = pixel // 7 % 6
    batch = pixel // 7 // 6
    oy = 2 * qy + ry
    ox = 2 * qx + rx
    known = channel < 4
    inside = (pixel < 84) & (oy < 11) & (ox < 13)
    x_at = x_ptr + 90 * batch
    weight_at = weight_ptr + 9 * channel
    first_y = ry % 2
    first_x = rx % 2
    acc = tl.zeros([NBLOCK, MBLOCK], tl.float32)
    for ky in range(first_y, 3, 2):
        iy = qy + (ry - ky) // 2
        in_y = inside & (iy >= 0) & (iy < 5)
        for kx in range(first_x, 3, 2):
            ix = qx + (rx - kx) // 2
            in_x = in_y & (ix >= 0) & (ix < 6)
            x_tap = x_at + (6 * iy + ix)
            weight_tap = weight_at + (3 * ky + kx)
            for k in tl.static_range(0, 3):
                a = tl.load(weight_tap + 36 * k, known, other=0.0)
                b = tl.load(x_tap + 30 * k, in_x, other=0.0)
                acc += a * b
    acc += tl.load(bias_ptr + channel, known, other=0.0)
    convolution = acc.to(tl.float32)
    shift = tl.load(shift_ptr + channel, channel < 4, eviction_policy='evict_last', other=0.0)
    full_0 = tl.full([1], 0, tl.int32)
    maximum_1 = maximum(full_0, convolution)
    mul = maximum_1 * shift
    tl.store(out_ptr_1 + (ox + 13 * oy + 143 * channel + 572 * batch), mul, known & inside)

conv_transpose2d_relu_mul_meta = {"NBLOCK": 4, "MBLOCK": 256, "num_warps": 4}


def forward(x: "f32[2, 3, 5, 6]", shift: "f32[4, 1, 1]", conv_weight: "f32[3, 4, 3, 3]", conv_bias: "f32[4]"):
    out = torch.empty_strided((2, 4, 11, 13), (572, 143, 13, 1), device=x.device, dtype=torch.float32)
    conv_transpose2d_relu_mul[triton.cdiv(4, conv_transpose2d_relu_mul_meta['NBLOCK']) * 4 * triton.cdiv(84, conv_transpose2d_relu_mul_meta['MBLOCK']),](x, conv_weight, conv_bias, shift, out, **conv_transpose2d_relu_mul_meta)
    return out
