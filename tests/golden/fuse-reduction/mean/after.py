# kernelwright module 1
# name: program
# level: triton  digest: b41e4f260cc7
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["a: f32[2, 8, 9, 10]"],
    "state": ["conv.weight -> conv_weight: f32[16, 8, 3, 3]", "conv.bias -> conv_bias: f32[16]"],
    "outputs": ["out: f32[2, 16]"],
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
        self.conv = nn.Conv2d(8, 16, 3)
        self.to(torch.float32)

    def forward(self, a):
        return F.gelu(self.conv(a)).mean((2, 3))

def get_inputs():
    return [torch.randn((2, 8, 9, 10), dtype=torch.float32)]
''',
}


# covers: aten.convolution
@triton.jit
def convolution(a_ptr, buf0_ptr, YBLOCK: tl.constexpr, XBLOCK: tl.constexpr):
    yoffset = tl.program_id(1) * YBLOCK
    yindex = yoffset + tl.arange(0, YBLOCK)[:, None]
    ymask = yindex < 16
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[None, :]
    xmask = xindex < 90
    y0 = yindex % 8
    y1 = yindex // 8
    a = tl.load(a_ptr + (xindex + 90 * yindex), xmask & ymask)
    tl.store(buf0_ptr + (y0 + 8 * xindex + 720 * y1), a, xmask & ymask)

convolution_meta = {"YBLOCK": 16, "XBLOCK": 64, "num_warps": 4}


# covers: aten.convolution
@triton.jit
def convolution_kernel(conv_weight_ptr, buf1_ptr, YBLOCK: tl.constexpr, XBLOCK: tl.constexpr):
    yoffset = tl.program_id(1) * YBLOCK
    yindex = yoffset + tl.arange(0, YBLOCK)[:, None]
    ymask = yindex < 128
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[None, :]
    xmask = xindex < 9
    y0 = yindex % 8
    y1 = yindex // 8
    conv_weight = tl.load(conv_weight_ptr + (xindex + 9 * yindex), xmask & ymask)
    tl.store(buf1_ptr + (y0 + 8 * xindex + 72 * y1), conv_weight, xmask & ymask)

convolution_kernel_meta = {"YBLOCK": 64, "XBLOCK": 16, "num_warps": 4}


# covers: aten.convolution, aten.gelu, aten.mean
@triton.jit
def conv2d_parts(
    x_ptr, weight_ptr, conv_bias_ptr, sum_parts_ptr, MBLOCK: tl.constexpr, NBLOCK: tl.constexpr, KBLOCK: tl.constexpr,
):
    product: tl.constexpr = (24 + KBLOCK - 1) // KBLOCK * KBLOCK
    pid = tl.program_id(0)
    quotient: tl.constexpr = (16 + NBLOCK - 1) // NBLOCK
    tile = pid // quotient
    quotient_1: tl.constexpr = (56 + MBLOCK - 1) // MBLOCK
    rows = tile % quotient_1 * MBLOCK + tl.arange(0, MBLOCK)[:, None]
    rows_1 = tile // quotient_1 * 56 + rows
    rows_2 = rows_1 // 8
    x_pointers = x_ptr + (720 * (rows_2 // 7) + 80 * (rows_2 % 7) + 8 * (rows_1 % 8))
    mask = rows < 56
    columns = pid % quotient * NBLOCK + tl.arange(0, NBLOCK)[None, :]
    weight_pointers = weight_ptr + 24 * columns
    acc = tl.zeros([MBLOCK, NBLOCK], tl.float32)
    for start in range(0, 3 * product, KBLOCK):
        tile_1 = start // product % 3
        index = start % product // KBLOCK * KBLOCK + tl.arange(0, KBLOCK)
        columns_1 = index[None, :]
        x = tl.load(x_pointers + 80 * tile_1 + columns_1, mask=mask & (columns_1 < 24), other=0.0)
        rows_3 = index[:, None]
        weight = tl.load(weight_pointers + 384 * tile_1 + rows_3, mask=(rows_3 < 24) & (columns < 16), other=0.0)
        acc = tl.dot(x, weight, acc=acc, input_precision='ieee')
    mask_1 = columns < 16
    conv_bias = tl.load(conv_bias_ptr + columns, mask=mask_1, eviction_policy='evict_last')
    total = acc.to(tl.float32) + conv_bias
    chosen = tl.where(mask & mask_1, total * 0.5 * (tl.erf(total * 0.7071067811865476) + 1.0), 0)
    tl.store(sum_parts_ptr + (tile * 16 + columns), tl.sum(chosen, axis=0, keep_dims=True), mask=mask_1)

conv2d_parts_meta = {"MBLOCK": 128, "NBLOCK": 16, "KBLOCK": 32, "num_warps": 4, "num_stages": 3}


# covers: aten.convolution, aten.gelu, aten.mean
@triton.jit
def convolution_gelu_mean_whole(out_ptr, sum_parts_ptr, slabs, XBLOCK: tl.constexpr, R0_BLOCK: tl.constexpr):
    columns = tl.arange(0, R0_BLOCK)[None, :]
    rows = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:, None]
    mask = rows < 32
    acc = tl.zeros([XBLOCK, R0_BLOCK], tl.float32)
    for start in range(0, slabs, R0_BLOCK):
        columns_1 = start + columns
        mask_1 = (columns_1 < slabs) & mask
        sum_parts_pointers = sum_parts_ptr + (16 * (slabs * (rows // 16) + columns_1) + rows % 16)
        sum_parts = tl.load(sum_parts_pointers, mask=mask_1, other=0)
        acc = tl.where(mask_1, acc + sum_parts, acc)
    tl.store(out_ptr + rows, tl.sum(acc, axis=1)[:, None] / 56.0, mask=mask)

convolution_gelu_mean_whole_meta = {"XBLOCK": 1, "R0_BLOCK": 1024, "num_warps": 4}


def forward(a: "f32[2, 8, 9, 10]", conv_weight: "f32[16, 8, 3, 3]", conv_bias: "f32[16]"):
    buf0 = torch.empty_strided((2, 8, 9, 10), (720, 1, 80, 8), device=a.device, dtype=torch.float32)
    convolution[triton.cdiv(90, convolution_meta['XBLOCK']), triton.cdiv(16, convolution_meta['YBLOCK'])](a, buf0, **convolution_meta)
    buf1 = torch.empty_strided((16, 8, 3, 3), (72, 1, 24, 8), device=a.device, dtype=torch.float32)
    convolution_kernel[triton.cdiv(9, convolution_kernel_meta['XBLOCK']), triton.cdiv(128, convolution_kernel_meta['YBLOCK'])](conv_weight, buf1, **convolution_kernel_meta)
    conv2d_weight = buf1.permute(2, 0, 3, 1).contiguous()
    parts_sum = torch.empty_strided((2 * triton.cdiv(56, conv2d_parts_meta['MBLOCK']), 16), (16, 1), device=a.device, dtype=torch.float32)
    conv2d_parts[triton.cdiv(16, conv2d_parts_meta['NBLOCK']) * (2 * triton.cdiv(56, conv2d_parts_meta['MBLOCK'])),](buf0, conv2d_weight, conv_bias, parts_sum, **conv2d_parts_meta)
    del buf0
    del buf1
    out = torch.empty_strided((2, 16), (16, 1), device=a.device, dtype=torch.float32)
    convolution_gelu_mean_whole[triton.cdiv(32, convolution_gelu_mean_whole_meta['XBLOCK']),](out, parts_sum, triton.cdiv(56, conv2d_parts_meta['MBLOCK']), **convolution_gelu_mean_whole_meta)
    return out
