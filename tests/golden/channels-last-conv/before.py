# kernelwright module 1
# name: clc
# level: triton  digest: f93a1b8f5175
# record: {"pass_spec": "lower-inductor{every_conv=true,device=cpu}", "parent": "ad037db9c7578432f2719b0d3a082233ef11e782616e9cf650ff8aace080d1ae", "seconds": 7.88, "seed": 0}
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
    yoffset = tl.program_id(1) * YBLOCK
    yindex = yoffset + tl.arange(0, YBLOCK)[:, None]
    ymask = yindex < 16
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[None, :]
    xmask = xindex < 99
    y0 = yindex % 8
    y1 = yindex // 8
    x = tl.load(x_ptr + (xindex + 99 * yindex), xmask & ymask)
    tl.store(buf0_ptr + (y0 + 8 * xindex + 792 * y1), x, xmask & ymask)

convolution_meta = {"YBLOCK": 16, "XBLOCK": 32, "num_warps": 2}


# covers: aten.convolution
@triton.jit
def convolution_kernel(conv_weight_ptr, buf1_ptr, YBLOCK: tl.constexpr, XBLOCK: tl.constexpr):
    yoffset = tl.program_id(1) * YBLOCK
    yindex = yoffset + tl.arange(0, YBLOCK)[:, None]
    ymask = yindex < 48
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[None, :]
    xmask = xindex < 9
    y0 = yindex % 8
    y1 = yindex // 8
    conv_weight = tl.load(conv_weight_ptr + (xindex + 9 * yindex), xmask & ymask)
    tl.store(buf1_ptr + (y0 + 8 * xindex + 72 * y1), conv_weight, xmask & ymask)

convolution_kernel_meta = {"YBLOCK": 32, "XBLOCK": 16, "num_warps": 2}


def forward(x: "f32[2, 8, 9, 11]", conv_weight: "f32[6, 8, 3, 3]"):
    buf0 = torch.empty_strided((2, 8, 9, 11), (792, 1, 88, 8), device=x.device, dtype=torch.float32)
    convolution[triton.cdiv(99, convolution_meta['XBLOCK']), triton.cdiv(16, convolution_meta['YBLOCK'])](x, buf0, **convolution_meta)
    buf1 = torch.empty_strided((6, 8, 3, 3), (72, 1, 24, 8), device=x.device, dtype=torch.float32)
    convolution_kernel[triton.cdiv(9, convolution_kernel_meta['XBLOCK']), triton.cdiv(48, convolution_kernel_meta['YBLOCK'])](conv_weight, buf1, **convolution_kernel_meta)
    out = aten.convolution.default(buf0, buf1, None, (1, 1), (1, 1), (1, 1), False, (0, 0), 1)
    out = out.contiguous(memory_format=torch.channels_last)
    return out
