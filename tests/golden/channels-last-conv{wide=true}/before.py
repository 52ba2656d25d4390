# kernelwright module 1
# name: program
# level: triton  digest: 3d9be3cfb6e4
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


def forward(a: "f32[1, 8, 5, 6]", conv_weight: "f32[8, 16, 4, 4]", conv_bias: "f32[16]"):
    buf0 = torch.empty_strided((1, 8, 5, 6), (240, 1, 48, 8), device=a.device, dtype=torch.float32)
    convolution[triton.cdiv(30, convolution_meta['XBLOCK']), triton.cdiv(8, convolution_meta['YBLOCK'])](a, buf0, **convolution_meta)
    buf1 = torch.empty_strided((8, 16, 4, 4), (256, 1, 64, 16), device=a.device, dtype=torch.float32)
    convolution_kernel[triton.cdiv(16, convolution_kernel_meta['XBLOCK']), triton.cdiv(128, convolution_kernel_meta['YBLOCK'])](conv_weight, buf1, **convolution_kernel_meta)
    convolution_out = aten.convolution.default(buf0, buf1, None, (2, 2), (1, 1), (1, 1), True, (0, 0), 1)
    convolution_out = convolution_out.contiguous(memory_format=torch.channels_last)
    del buf0
    del buf1
    out = torch.empty_strided((1, 16, 10, 12), (1920, 1, 192, 16), device=a.device, dtype=torch.float32)
    convolution_kernel_1[triton.cdiv(1920, convolution_kernel_1_meta['XBLOCK']),](convolution_out, conv_bias, out, **convolution_kernel_1_meta)
    return out
