# kernelwright module 1
# name: program
# level: triton  digest: 81f94d3d9fe2
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["a: f32[1, 8, 5, 6]"],
    "state": ["conv.weight -> conv_weight: f32[8, 16, 4, 4]", "conv.bias -> conv_bias: f32[16]"],
    "outputs": ["out: f32[1, 16, 10, 12]"],
    "returns": "tensor",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "source": '''\
import torch
import torch.nn as nn
import torch.nn.functional as F

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.ConvTranspose2d(8, 16, 4, stride=2, padding=1)
        self.to(torch.float32)

    def forward(self, a):
        return self.conv(a)

def get_inputs():
    return [torch.randn((1, 8, 5, 6), dtype=torch.float32)]
''',
}


# covers: aten.convolution
@triton.jit
def convolution(a_ptr, buf0_ptr, YBLOCK: tl.constexpr, XBLOCK: tl.constexpr):
    yoffset = tl.program_id(1) * YBLOCK
    yindex = yoffset + tl.arange(0, YBLOCK)[:, None]
    ymask = yindex < 8
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[None, :]
    xmask = xindex < 30
    a = tl.load(a_ptr + (xindex + 30 * yindex), xmask & ymask)
    tl.store(buf0_ptr + (yindex + 8 * xindex), a, xmask & ymask)

convolution_meta = {"YBLOCK": 8, "XBLOCK": 32, "num_warps": 4}


# covers: aten.convolution
@triton.jit
def convolution_kernel(conv_weight_ptr, buf1_ptr, YBLOCK: tl.constexpr, XBLOCK: tl.constexpr):
    yoffset = tl.program_id(1) * YBLOCK
    yindex = yoffset + tl.arange(0, YBLOCK)[:, None]
    ymask = yindex < 128
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[None, :]
    xmask = xindex < 16
    y0 = yindex % 16
    y1 = yindex // 16
    conv_weight = tl.load(conv_weight_ptr + (xindex + 16 * yindex), xmask & ymask)
    tl.store(buf1_ptr + (y0 + 16 * xindex + 256 * y1), conv_weight, xmask & ymask)

convolution_kernel_meta = {"YBLOCK": 64, "XBLOCK": 16, "num_warps": 4}


# covers: aten.convolution
@triton.jit
def convolution_kernel_1(convolution_out_ptr, conv_bias_ptr, out_ptr, XBLOCK: tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < 1920
    x0 = xindex % 16
    convolution_out = tl.load(convolution_out_ptr + xindex, xmask)
    conv_bias = tl.load(conv_bias_ptr + x0, xmask, eviction_policy='evict_last')
    add = convolution_out + conv_bias
    tl.store(out_ptr + xindex, add, xmask)

convolution_kernel_1_meta = {"XBLOCK": 256, "num_warps": 4}


# covers: aten.convolution
@triton.jit
def conv_transpose2d(x_ptr, weight_ptr, out_ptr, MBLOCK: tl.constexpr, NBLOCK: tl.constexpr, KBLOCK: tl.constexpr):
    tiles: tl.constexpr = (64 + NBLOCK - 1) // NBLOCK
    column = tl.program_id(0) % tiles * NBLOCK + tl.arange(0, NBLOCK)[None, :]
    pixel = tl.program_id(0) // tiles * MBLOCK + tl.arange(0, MBLOCK)[:, None]
    qx = pixel % 7
    qy = pixel // 7 % 6
    batch = pixel // 7 // 6
    inside = (pixel < 42)
    iy = qy - 1
    ix = qx - 1
    x_at = x_ptr + (240 * batch + 48 * iy + 8 * ix)
    weight_at = weight_ptr + 16 * column
    acc = tl.zeros([MBLOCK, NBLOCK], tl.float32)
    padded: tl.constexpr = (16 + KBLOCK - 1) // KBLOCK * KBLOCK
    for step in range(0, 2 * padded, KBLOCK):
        first = step % padded // KBLOCK * KBLOCK
        k = first + tl.arange(0, KBLOCK)
        ky = step // padded % 2
        a = tl.load(x_at + (48 * ky) + k[None, :], inside & (iy + ky >= 0) & (iy + ky < 5) & (k[None, :] < 16) & (8 * ix + k[None, :] >= 0) & (8 * ix + k[None, :] < 48), other=0.0)
        b = tl.load(weight_at + 1024 * (1 - ky) + 8 * (1 - (k[:, None] // 8)) + (k[:, None] % 8), (k[:, None] < 16) & (column < 64), other=0.0)
        acc = tl.dot(a, b, acc, input_precision="ieee")
    channel = column % 16
    ox = 2 * qx + column // 16 % 2 - 1
    oy = 2 * qy + column // 16 // 2 % 2 - 1
    stored = inside & (oy >= 0) & (oy < 10) & (ox >= 0) & (ox < 12)
    tl.store(out_ptr + (1920 * batch + channel + 192 * oy + 16 * ox), acc, stored & (column < 64))

conv_transpose2d_meta = {"MBLOCK": 128, "NBLOCK": 64, "KBLOCK": 16, "num_warps": 8, "num_stages": 3}


def forward(a: "f32[1, 8, 5, 6]", conv_weight: "f32[8, 16, 4, 4]", conv_bias: "f32[16]"):
    buf0 = torch.empty_strided((1, 8, 5, 6), (240, 1, 48, 8), device=a.device, dtype=torch.float32)
    convolution[triton.cdiv(30, convolution_meta['XBLOCK']), triton.cdiv(8, convolution_meta['YBLOCK'])](a, buf0, **convolution_meta)
    buf1 = torch.empty_strided((8, 16, 4, 4), (256, 1, 64, 16), device=a.device, dtype=torch.float32)
    convolution_kernel[triton.cdiv(16, convolution_kernel_meta['XBLOCK']), triton.cdiv(128, convolution_kernel_meta['YBLOCK'])](conv_weight, buf1, **convolution_kernel_meta)
    conv_transpose2d_weight = buf1.view(8, 16, 2, 2, 2, 2).permute(2, 3, 5, 1, 4, 0).contiguous()
    convolution_out = torch.empty_strided((1, 16, 10, 12), (1920, 1, 192, 16), device=a.device, dtype=torch.float32)
    conv_transpose2d[triton.cdiv(64, conv_transpose2d_meta['NBLOCK']) * triton.cdiv(42, conv_transpose2d_meta['MBLOCK']),](buf0, conv_transpose2d_weight, convolution_out, **conv_transpose2d_meta)
    del buf0
    del buf1
    out = torch.empty_strided((1, 16, 10, 12), (1920, 1, 192, 16), device=a.device, dtype=torch.float32)
    convolution_kernel_1[triton.cdiv(1920, convolution_kernel_1_meta['XBLOCK']),](convolution_out, conv_bias, out, **convolution_kernel_1_meta)
    return out
