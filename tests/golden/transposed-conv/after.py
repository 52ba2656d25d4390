# kernelwright module 1
# name: tc
# level: triton  digest: 2bd0ef415129
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[2, 6, 5, 7]"],
    "state": ["conv.weight -> conv_weight: f32[6, 2, 3, 3]", "conv.bias -> conv_bias: f32[4]"],
    "outputs": ["out: f32[2, 4, 11, 19]"],
    "returns": "tensor",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "source": '''\
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.ConvTranspose2d(6, 4, 3, stride=(2, 3), padding=1, dilation=(2, 1), groups=2)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.randn(2, 6, 5, 7)]
''',
}


# covers: aten.convolution
@triton.jit
def conv_transpose2d(x_ptr, weight_ptr, bias_ptr, out_ptr, NBLOCK: tl.constexpr, MBLOCK: tl.constexpr):
    tiles: tl.constexpr = (2 + NBLOCK - 1) // NBLOCK
    tile = tl.program_id(0) // tiles
    group = tl.program_id(1)
    channel = tl.program_id(0) % tiles * NBLOCK + tl.arange(0, NBLOCK)[:, None]
    phase = tile % 6
    pixel = tile // 6 * MBLOCK + tl.arange(0, MBLOCK)[None, :]
    rx = phase % 3
    ry = phase // 3
    qx = pixel % 7
    qy = pixel // 7 % 6
    batch = pixel // 7 // 6
    oy = 2 * qy + ry
    ox = 3 * qx + rx
    known = channel < 2
    inside = (pixel < 84) & (oy < 11) & (ox < 19)
    x_at = x_ptr + (210 * batch + 105 * group)
    weight_at = weight_ptr + (9 * channel + 54 * group)
    first_y = tl.where((ry + 1) % 2 == 0, 0, 3)
    first_x = (rx + 1) % 3
    acc = tl.zeros([NBLOCK, MBLOCK], tl.float32)
    for ky in range(first_y, 3, 1):
        iy = qy + (ry + 1 - 2 * ky) // 2
        in_y = inside & (iy >= 0) & (iy < 5)
        for kx in range(first_x, 3, 3):
            ix = qx + (rx + 1 - kx) // 3
            in_x = in_y & (ix >= 0) & (ix < 7)
            x_tap = x_at + (7 * iy + ix)
            weight_tap = weight_at + (3 * ky + kx)
            for k in tl.static_range(0, 3):
                a = tl.load(weight_tap + 18 * k, known, other=0.0)
                b = tl.load(x_tap + 35 * k, in_x, other=0.0)
                acc += a * b
    acc += tl.load(bias_ptr + (channel + 2 * group), known, other=0.0)
    tl.store(out_ptr + (836 * batch + 209 * channel + 418 * group + 19 * oy + ox), acc, known & inside)

conv_transpose2d_meta = {"NBLOCK": 2, "MBLOCK": 512, "num_warps": 4}


def forward(x: "f32[2, 6, 5, 7]", conv_weight: "f32[6, 2, 3, 3]", conv_bias: "f32[4]"):
    out = torch.empty_strided((2, 4, 11, 19), (836, 209, 19, 1), device=x.device, dtype=torch.float32)
    conv_transpose2d[triton.cdiv(2, conv_transpose2d_meta['NBLOCK']) * 6 * triton.cdiv(84, conv_transpose2d_meta['MBLOCK']), 2](x, conv_weight, conv_bias, out, **conv_transpose2d_meta)
    return out
