# kernelwright module 1
# name: prog
# level: triton  digest: 8b89179d2a33
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[2, 3, 7, 6]"],
    "state": ["conv.weight -> conv_weight: f32[12, 3, 3, 3]", "conv.bias -> conv_bias: f32[12]"],
    "outputs": ["out0: f32[2, 12, 5, 4]", "out1: f32[2, 1, 5, 4]"],
    "returns": "tuple",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "numerics": "torch",
    "source": '''\
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 12, 3)

    def forward(self, x):
        y = self.conv(x)
        return torch.softmax(y, 1), torch.tanh(torch.min(y, 1, keepdim=True)[0])


def get_inputs():
    return [torch.randn(2, 3, 7, 6)]
''',
}


@triton.jit
def maximum(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def minimum(a, b):
    return tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL)


# covers: aten.convolution
@triton.jit
def convolution(x_ptr, buf0_ptr, YBLOCK: tl.constexpr, XBLOCK: tl.constexpr):
    yoffset = tl.program_id(1) * YBLOCK
    yindex = yoffset + tl.arange(0, YBLOCK)[:, None]
    ymask = yindex < 6
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[None, :]
    xmask = xindex < 42
    y0 = yindex % 3
    y1 = yindex // 3
    x = tl.load(x_ptr + (xindex + 42 * yindex), xmask & ymask)
    tl.store(buf0_ptr + (y0 + 3 * xindex + 126 * y1), tl.where(x == x, (x.to(tl.int32, bitcast=True) + 4096 & -8192).to(tl.float32, bitcast=True), x), xmask & ymask)

convolution_meta = {"YBLOCK": 8, "XBLOCK": 32, "num_warps": 4}


# covers: aten.convolution
@triton.jit
def convolution_kernel(conv_weight_ptr, buf1_ptr, YBLOCK: tl.constexpr, XBLOCK: tl.constexpr):
    yoffset = tl.program_id(1) * YBLOCK
    yindex = yoffset + tl.arange(0, YBLOCK)[:, None]
    ymask = yindex < 36
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[None, :]
    xmask = xindex < 9
    y0 = yindex % 3
    y1 = yindex // 3
    conv_weight = tl.load(conv_weight_ptr + (xindex + 9 * yindex), xmask & ymask)
    tl.store(buf1_ptr + (y0 + 3 * xindex + 27 * y1), tl.where(conv_weight == conv_weight, (conv_weight.to(tl.int32, bitcast=True) + 4096 & -8192).to(tl.float32, bitcast=True), conv_weight), xmask & ymask)

convolution_kernel_meta = {"YBLOCK": 64, "XBLOCK": 16, "num_warps": 4}


# covers: aten.convolution, aten.amin, aten._softmax, aten.tanh
@triton.jit
def conv2d_convolution_amin_softmax_tanh(
    x_ptr, weight_ptr, conv_bias_ptr, out0_ptr, out1_ptr, MBLOCK: tl.constexpr, KBLOCK: tl.constexpr,
):
    product: tl.constexpr = (9 + KBLOCK - 1) // KBLOCK * KBLOCK
    rows = tl.program_id(0) * MBLOCK + tl.arange(0, MBLOCK)[:, None]
    rows_1 = rows // 4
    x_pointers = x_ptr + (126 * (rows_1 // 5) + 18 * (rows_1 % 5) + 3 * (rows % 4))
    mask = rows < 40
    columns = tl.arange(0, 16)[None, :]
    weight_pointers = weight_ptr + 9 * columns
    acc = tl.zeros([MBLOCK, 16], tl.float32)
    for start in range(0, 3 * product, KBLOCK):
        tile = start // product % 3
        index = start % product // KBLOCK * KBLOCK + tl.arange(0, KBLOCK)
        columns_1 = index[None, :]
        x = tl.load(x_pointers + 18 * tile + columns_1, mask=mask & (columns_1 < 9), other=0.0)
        rows_2 = index[:, None]
        weight = tl.load(weight_pointers + 108 * tile + rows_2, mask=(rows_2 < 9) & (columns < 12), other=0.0)
        acc = tl.dot(x, weight, acc=acc, input_precision='tf32')
    mask_1 = columns < 12
    conv_bias = tl.load(conv_bias_ptr + columns, mask=mask_1, other=0.0, eviction_policy='evict_last')
    total = tl.where(mask_1, acc.to(tl.float32), 0.0) + conv_bias
    converted = tl.reduce(tl.where(mask_1, total, -float("inf")), 1, maximum, keep_dims=True).to(tl.float32)
    exponential = tl.exp(total - converted)
    quotient = exponential / tl.sum(tl.where(mask_1, exponential, 0), axis=1, keep_dims=True).to(tl.float32)
    tl.store(out0_ptr + (12 * rows + columns), quotient, mask=mask & mask_1)
    converted_1 = tl.reduce(tl.where(mask_1, total, float("inf")), 1, minimum, keep_dims=True).to(tl.float32)
    abs_1 = tl.abs(converted_1)
    product_1 = converted_1 * converted_1
    total_1 = -0.3333333333333333 + product_1 * (0.13333333333333333 - 0.05396825396825397 * product_1)
    exponential_1 = tl.exp(-2.0 * abs_1)
    chosen = tl.where(abs_1 < 0.1, abs_1 * (1.0 + product_1 * total_1), (1.0 - exponential_1) / (1.0 + exponential_1))
    tl.store(out1_ptr + rows, tl.where(converted_1 < 0, -chosen, chosen), mask=mask)

conv2d_convolution_amin_softmax_tanh_meta = {"MBLOCK": 256, "KBLOCK": 16, "num_warps": 4, "num_stages": 3}


def forward(x: "f32[2, 3, 7, 6]", conv_weight: "f32[12, 3, 3, 3]", conv_bias: "f32[12]"):
    buf0 = torch.empty_strided((2, 3, 7, 6), (126, 1, 18, 3), device=x.device, dtype=torch.float32)
    convolution[triton.cdiv(42, convolution_meta['XBLOCK']), triton.cdiv(6, convolution_meta['YBLOCK'])](x, buf0, **convolution_meta)
    buf1 = torch.empty_strided((12, 3, 3, 3), (27, 1, 9, 3), device=x.device, dtype=torch.float32)
    convolution_kernel[triton.cdiv(9, convolution_kernel_meta['XBLOCK']), triton.cdiv(36, convolution_kernel_meta['YBLOCK'])](conv_weight, buf1, **convolution_kernel_meta)
    conv2d_weight = buf1.permute(2, 0, 3, 1).contiguous()
    del buf1
    out0 = torch.empty_strided((2, 12, 5, 4), (240, 1, 48, 12), device=x.device, dtype=torch.float32)
    out1 = torch.empty_strided((2, 1, 5, 4), (20, 1, 4, 1), device=x.device, dtype=torch.float32)
    conv2d_convolution_amin_softmax_tanh[triton.cdiv(40, conv2d_convolution_amin_softmax_tanh_meta['MBLOCK']),](buf0, conv2d_weight, conv_bias, out0, out1, **conv2d_convolution_amin_softmax_tanh_meta)
    del buf0
    return (out0, out1)
