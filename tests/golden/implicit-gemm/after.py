# kernelwright module 1
# name: ig
# level: triton  digest: 42ebfaff38e2
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[2, 16, 9, 11]"],
    "state": ["conv.weight -> conv_weight: f32[18, 16, 3, 3]", "conv.bias -> conv_bias: f32[18]"],
    "outputs": ["out: f32[2, 18, 5, 5]"],
    "returns": "tensor",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "source": '''\
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(16, 18, 3, stride=2, padding=(1, 0))

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.randn(2, 16, 9, 11)]
''',
}


# covers: aten.convolution
@triton.jit
def conv2d(x_ptr, weight_ptr, bias_ptr, out_ptr, NBLOCK: tl.constexpr, MBLOCK: tl.constexpr, KBLOCK: tl.constexpr):
    tiles: tl.constexpr = (18 + NBLOCK - 1) // NBLOCK
    tile = tl.program_id(0) // tiles
    channel = tl.program_id(0) % tiles * NBLOCK + tl.arange(0, NBLOCK)[:, None]
    pixel = tile * MBLOCK + tl.arange(0, MBLOCK)[None, :]
    qx = pixel % 5
    qy = pixel // 5 % 5
    batch = pixel // 5 // 5
    oy = qy
    ox = qx
    known = channel < 18
    inside = (pixel < 50)
    x_at = x_ptr + (1584 * batch)
    weight_at = weight_ptr + (channel)
    acc = tl.zeros([NBLOCK, MBLOCK], tl.float32)
    padded: tl.constexpr = (16 + KBLOCK - 1) // KBLOCK * KBLOCK
    for step in range(0, 3 * 3 * padded, KBLOCK):
        tap = step // padded
        k = step % padded + tl.arange(0, KBLOCK)
        kx = tap % 3
        ky = tap // 3
        iy = 2 * qy + ky - 1
        in_y = inside & (iy >= 0) & (iy < 9)
        ix = 2 * qx + kx
        x_tap = x_at + (11 * iy + ix)
        weight_tap = weight_at + (864 * ky + 288 * kx)
        a = tl.load(weight_tap + 18 * k[None, :], known & (k[None, :] < 16), other=0.0)
        b = tl.load(x_tap + 99 * k[:, None], in_y & (k[:, None] < 16), other=0.0)
        acc = tl.dot(a, b, acc, input_precision="ieee")
    acc += tl.load(bias_ptr + (channel), known, other=0.0)
    tl.store(out_ptr + (450 * batch + 25 * channel + 5 * oy + ox), acc, known & inside)

conv2d_meta = {"NBLOCK": 32, "MBLOCK": 128, "KBLOCK": 16, "num_warps": 4, "num_stages": 3}


def forward(x: "f32[2, 16, 9, 11]", conv_weight: "f32[18, 16, 3, 3]", conv_bias: "f32[18]"):
    conv2d_weight = conv_weight.permute(2, 3, 1, 0).contiguous()
    out = torch.empty_strided((2, 18, 5, 5), (450, 25, 5, 1), device=x.device, dtype=torch.float32)
    conv2d[triton.cdiv(18, conv2d_meta['NBLOCK']) * triton.cdiv(50, conv2d_meta['MBLOCK']),](x, conv2d_weight, conv_bias, out, **conv2d_meta)
    return out
