# kernelwright module 1
# name: clc
# level: triton  digest: 009c50e57006
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[2, 8, 9, 11]"],
    "state": ["conv.weight -> conv_weight: f32[6, 8, 3, 3]"],
    "outputs": ["out: f32[2, 6, 9, 11]"],
    "returns": "tensor",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "numerics": "torch",
    "source": '''\
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(8, 6, 3, padding=1, bias=False)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.randn(2, 8, 9, 11)]
''',
}


# covers: aten.convolution
@triton.jit
def convolution(x_ptr, buf0_ptr, YBLOCK: tl.constexpr, XBLOCK: tl.constexpr):
    rows = tl.program_id(1) * YBLOCK + tl.arange(0, YBLOCK)[:, None]
    columns = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[None, :]
    buf0_pointers = buf0_ptr + (rows % 8 + 8 * columns + 792 * (rows // 8))
    mask = (columns < 99) & (rows < 16)
    x = tl.load(x_ptr + (columns + 99 * rows), mask=mask)
    converted = (x.to(tl.int32, bitcast=True) + 4096 & -8192).to(tl.float32, bitcast=True)
    tl.store(buf0_pointers, tl.where(x == x, converted, x), mask=mask)

convolution_meta = {"YBLOCK": 16, "XBLOCK": 32, "num_warps": 2}


# covers: aten.convolution
@triton.jit
def convolution_kernel(conv_weight_ptr, buf1_ptr, YBLOCK: tl.constexpr, XBLOCK: tl.constexpr):
    rows = tl.program_id(1) * YBLOCK + tl.arange(0, YBLOCK)[:, None]
    columns = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[None, :]
    buf1_pointers = buf1_ptr + (rows % 8 + 8 * columns + 72 * (rows // 8))
    mask = (columns < 9) & (rows < 48)
    conv_weight = tl.load(conv_weight_ptr + (columns + 9 * rows), mask=mask)
    converted = (conv_weight.to(tl.int32, bitcast=True) + 4096 & -8192).to(tl.float32, bitcast=True)
    tl.store(buf1_pointers, tl.where(conv_weight == conv_weight, converted, conv_weight), mask=mask)

convolution_kernel_meta = {"YBLOCK": 32, "XBLOCK": 16, "num_warps": 2}


# covers: aten.convolution
@triton.jit
def conv2d(x_ptr, weight_ptr, out_ptr, MBLOCK: tl.constexpr, NBLOCK: tl.constexpr, KBLOCK: tl.constexpr):
    tiles: tl.constexpr = (6 + NBLOCK - 1) // NBLOCK
    channel = tl.program_id(0) % tiles * NBLOCK + tl.arange(0, NBLOCK)[None, :]
    pixel = tl.program_id(0) // tiles * MBLOCK + tl.arange(0, MBLOCK)[:, None]
    ox = pixel % 11
    oy = pixel // 11 % 9
    batch = pixel // 11 // 9
    inside = (pixel < 198)
    iy = oy - 1
    ix = ox - 1
    x_at = x_ptr + (792 * batch + 88 * iy + 8 * ix)
    weight_at = weight_ptr + 72 * channel
    acc = tl.zeros([MBLOCK, NBLOCK], tl.float32)
    padded: tl.constexpr = (24 + KBLOCK - 1) // KBLOCK * KBLOCK
    for step in range(0, 3 * padded, KBLOCK):
        first = step % padded // KBLOCK * KBLOCK
        k = first + tl.arange(0, KBLOCK)
        ky = step // padded % 3
        a = tl.load(x_at + (88 * ky) + k[None, :], inside & (iy + ky >= 0) & (iy + ky < 9) & (k[None, :] < 24) & (8 * ix + k[None, :] >= 0) & (8 * ix + k[None, :] < 88), other=0.0)
        b = tl.load(weight_at + 24 * ky + k[:, None], (k[:, None] < 24) & (channel < 6), other=0.0)
        acc = tl.dot(a, b, acc, input_precision="tf32")
    tl.store(out_ptr + (594 * batch + channel + 66 * oy + 6 * ox), acc, inside & (channel < 6))

conv2d_meta = {"MBLOCK": 256, "NBLOCK": 16, "KBLOCK": 32, "num_warps": 4, "num_stages": 3}


def forward(x: "f32[2, 8, 9, 11]", conv_weight: "f32[6, 8, 3, 3]"):
    buf0 = torch.empty_strided((2, 8, 9, 11), (792, 1, 88, 8), device=x.device, dtype=torch.float32)
    convolution[triton.cdiv(99, convolution_meta['XBLOCK']), triton.cdiv(16, convolution_meta['YBLOCK'])](x, buf0, **convolution_meta)
    buf1 = torch.empty_strided((6, 8, 3, 3), (72, 1, 24, 8), device=x.device, dtype=torch.float32)
    convolution_kernel[triton.cdiv(9, convolution_kernel_meta['XBLOCK']), triton.cdiv(48, convolution_kernel_meta['YBLOCK'])](conv_weight, buf1, **convolution_kernel_meta)
    out = torch.empty_strided((2, 6, 9, 11), (594, 1, 66, 6), device=x.device, dtype=torch.float32)
    conv2d[triton.cdiv(6, conv2d_meta['NBLOCK']) * triton.cdiv(198, conv2d_meta['MBLOCK']),](buf0, buf1, out, **conv2d_meta)
    return out
