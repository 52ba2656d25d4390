# kernelwright module 1
# name: program
# level: triton  digest: 0209b5959407
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["a: f32[2, 4, 38, 35]"],
    "state": ["conv.weight -> conv_weight: f32[6, 4, 3, 3]", "conv.bias -> conv_bias: f32[6]"],
    "outputs": ["out: f32[2, 6, 36, 33]"],
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
        self.conv = nn.Conv2d(4, 6, 3)
        self.to(torch.float32)

    def forward(self, a):
        return F.instance_norm(self.conv(a))

def get_inputs():
    return [torch.randn((2, 4, 38, 35), dtype=torch.float32)]
''',
}


@triton.jit
def welford_combine(mean_a, m2_a, weight_a, mean_b, m2_b, weight_b):
    delta = mean_b - mean_a
    weight = weight_a + weight_b
    share = tl.where(weight == 0.0, 0.0, weight_b / weight)
    return mean_a + delta * share, m2_a + m2_b + delta * delta * weight_a * share, weight


# covers: aten.convolution
@triton.jit
def convolution(a_ptr, buf0_ptr, YBLOCK: tl.constexpr, XBLOCK: tl.constexpr):
    yoffset = tl.program_id(1) * YBLOCK
    yindex = yoffset + tl.arange(0, YBLOCK)[:, None]
    ymask = yindex < 8
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[None, :]
    xmask = xindex < 1330
    y0 = yindex % 4
    y1 = yindex // 4
    a = tl.load(a_ptr + (xindex + 1330 * yindex), xmask & ymask)
    tl.store(buf0_ptr + (y0 + 4 * xindex + 5320 * y1), a, xmask & ymask)

convolution_meta = {"YBLOCK": 8, "XBLOCK": 128, "num_warps": 4}


# covers: aten.convolution
@triton.jit
def convolution_kernel(conv_weight_ptr, buf1_ptr, YBLOCK: tl.constexpr, XBLOCK: tl.constexpr):
    yoffset = tl.program_id(1) * YBLOCK
    yindex = yoffset + tl.arange(0, YBLOCK)[:, None]
    ymask = yindex < 24
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[None, :]
    xmask = xindex < 9
    y0 = yindex % 4
    y1 = yindex // 4
    conv_weight = tl.load(conv_weight_ptr + (xindex + 9 * yindex), xmask & ymask)
    tl.store(buf1_ptr + (y0 + 4 * xindex + 36 * y1), conv_weight, xmask & ymask)

convolution_kernel_meta = {"YBLOCK": 32, "XBLOCK": 16, "num_warps": 4}


# covers: aten.convolution, aten.view, aten._native_batch_norm_legit
@triton.jit
def conv2d_parts(
    x_ptr, weight_ptr, out_ptr, conv_bias_ptr, mean_parts_ptr, apart_parts_ptr, count_parts_ptr, MBLOCK: tl.constexpr,
    NBLOCK: tl.constexpr, KBLOCK: tl.constexpr,
):
    product: tl.constexpr = (12 + KBLOCK - 1) // KBLOCK * KBLOCK
    pid = tl.program_id(0)
    quotient: tl.constexpr = (6 + NBLOCK - 1) // NBLOCK
    tile = pid // quotient
    quotient_1: tl.constexpr = (1188 + MBLOCK - 1) // MBLOCK
    rows = tile % quotient_1 * MBLOCK + tl.arange(0, MBLOCK)[:, None]
    rows_1 = tile // quotient_1 * 1188 + rows
    rows_2 = rows_1 // 33
    rows_3 = rows_2 // 36
    rows_4 = rows_2 % 36
    rows_5 = rows_1 % 33
    x_pointers = x_ptr + (5320 * rows_3 + 140 * rows_4 + 4 * rows_5)
    mask = rows < 1188
    columns = pid % quotient * NBLOCK + tl.arange(0, NBLOCK)[None, :]
    weight_pointers = weight_ptr + 12 * columns
    acc = tl.zeros([MBLOCK, NBLOCK], tl.float32)
    for start in range(0, 3 * product, KBLOCK):
        tile_1 = start // product % 3
        index = start % product // KBLOCK * KBLOCK + tl.arange(0, KBLOCK)
        columns_1 = index[None, :]
        x = tl.load(x_pointers + 140 * tile_1 + columns_1, mask=mask & (columns_1 < 12), other=0.0)
        rows_6 = index[:, None]
        weight = tl.load(weight_pointers + 72 * tile_1 + rows_6, mask=(rows_6 < 12) & (columns < 6), other=0.0)
        acc = tl.dot(x, weight, acc=acc, input_precision='ieee')
    pointers = out_ptr + (7128 * rows_3 + columns + 198 * rows_4 + 6 * rows_5)
    mask_1 = columns < 6
    mask_2 = mask & mask_1
    tl.store(pointers, acc, mask=mask_2)
    columns_1 = tile * 6 + columns
    conv_bias = tl.load(conv_bias_ptr + columns, mask=mask_1, eviction_policy='evict_last')
    total = acc.to(tl.float32) + conv_bias
    total_1 = tl.sum(mask.to(tl.float32), axis=0, keep_dims=True)
    quotient_2 = tl.sum(tl.where(mask_2, total, 0.0), axis=0, keep_dims=True) / tl.maximum(total_1, 1.0)
    tl.store(mean_parts_ptr + columns_1, quotient_2, mask=mask_1)
    chosen = tl.where(mask_2, total - quotient_2, 0.0)
    tl.store(apart_parts_ptr + columns_1, tl.sum(chosen * chosen, axis=0, keep_dims=True), mask=mask_1)
    tl.store(count_parts_ptr + columns_1, total_1, mask=mask_1)

conv2d_parts_meta = {"MBLOCK": 128, "NBLOCK": 16, "KBLOCK": 16, "num_warps": 4, "num_stages": 3}


# covers: aten.convolution, aten.view, aten._native_batch_norm_legit
@triton.jit
def convolution_view_batch_norm_legit_whole(
    convolution_out_ptr, conv_bias_ptr, out_ptr, mean_parts_ptr, apart_parts_ptr, count_parts_ptr, slabs,
    XBLOCK: tl.constexpr, R0_BLOCK: tl.constexpr,
):
    rows = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:, None]
    rows_1 = rows % 6
    mask = rows < 12
    conv_bias = tl.load(conv_bias_ptr + rows_1, mask=mask, eviction_policy='evict_last')
    acc = tl.zeros([XBLOCK, R0_BLOCK], tl.float32)
    columns = tl.arange(0, R0_BLOCK)[None, :]
    acc_1 = acc
    acc_2 = acc
    acc_3 = acc
    for start in range(0, slabs, R0_BLOCK):
        columns_1 = start + columns
        mask_1 = (columns_1 < slabs) & mask
        offsets = 6 * (slabs * (rows // 6) + columns_1) + rows_1
        mean_parts = tl.load(mean_parts_ptr + offsets, mask=mask_1, other=0)
        difference = mean_parts - acc_1
        apart_parts = tl.load(apart_parts_ptr + offsets, mask=mask_1, other=0)
        count_parts = tl.load(count_parts_ptr + offsets, mask=mask_1, other=0)
        total = acc_2 + count_parts
        chosen = tl.where(total == 0.0, 0.0, count_parts / total)
        chosen_1 = tl.where(mask_1, acc_3 + apart_parts + difference * difference * acc_2 * chosen, acc_3)
        acc_1 = tl.where(mask_1, acc_1 + difference * chosen, acc_1)
        acc_2 = tl.where(mask_1, total, acc_2)
        acc_3 = chosen_1
    rows_2 = rows // 6
    reduced = tl.reduce((acc_1, acc_3, acc_2), 1, welford_combine)
    column = tl.expand_dims(reduced[0], 1)
    column_1 = tl.expand_dims(reduced[1], 1)
    for start in range(0, 1188, R0_BLOCK):
        columns_1 = start + columns
        columns_2 = 6 * columns_1
        rows_3 = 7128 * rows_2
        mask_1 = (columns_1 < 1188) & mask
        convolution_out = tl.load(convolution_out_ptr + (columns_2 + rows_3 + rows_1), mask=mask_1, other=0.0, eviction_policy='evict_first')
        product = (convolution_out + conv_bias - column) * tl.rsqrt(column_1 / 1188.0 + 1e-05)
        tl.store(out_ptr + (rows_1 + columns_2 + rows_3), product, mask=mask_1)

convolution_view_batch_norm_legit_whole_meta = {"XBLOCK": 2, "R0_BLOCK": 64, "num_warps": 2}


def forward(a: "f32[2, 4, 38, 35]", conv_weight: "f32[6, 4, 3, 3]", conv_bias: "f32[6]"):
    buf0 = torch.empty_strided((2, 4, 38, 35), (5320, 1, 140, 4), device=a.device, dtype=torch.float32)
    convolution[triton.cdiv(1330, convolution_meta['XBLOCK']), triton.cdiv(8, convolution_meta['YBLOCK'])](a, buf0, **convolution_meta)
    buf1 = torch.empty_strided((6, 4, 3, 3), (36, 1, 12, 4), device=a.device, dtype=torch.float32)
    convolution_kernel[triton.cdiv(9, convolution_kernel_meta['XBLOCK']), triton.cdiv(24, convolution_kernel_meta['YBLOCK'])](conv_weight, buf1, **convolution_kernel_meta)
    conv2d_weight = buf1.permute(2, 0, 3, 1).contiguous()
    convolution_out = torch.empty_strided((2, 6, 36, 33), (7128, 1, 198, 6), device=a.device, dtype=torch.float32)
    parts_mean = torch.empty_strided((2 * triton.cdiv(1188, conv2d_parts_meta['MBLOCK']), 6), (6, 1), device=a.device, dtype=torch.float32)
    parts_apart = torch.empty_strided((2 * triton.cdiv(1188, conv2d_parts_meta['MBLOCK']), 6), (6, 1), device=a.device, dtype=torch.float32)
    parts_count = torch.empty_strided((2 * triton.cdiv(1188, conv2d_parts_meta['MBLOCK']), 6), (6, 1), device=a.device, dtype=torch.float32)
    conv2d_parts[triton.cdiv(6, conv2d_parts_meta['NBLOCK']) * (2 * triton.cdiv(1188, conv2d_parts_meta['MBLOCK'])),](buf0, conv2d_weight, convolution_out, conv_bias, parts_mean, parts_apart, parts_count, **conv2d_parts_meta)
    del buf0
    del buf1
    out = torch.empty_strided((2, 6, 36, 33), (7128, 1, 198, 6), device=a.device, dtype=torch.float32)
    convolution_view_batch_norm_legit_whole[triton.cdiv(12, convolution_view_batch_norm_legit_whole_meta['XBLOCK']),](convolution_out, conv_bias, out, parts_mean, parts_apart, parts_count, triton.cdiv(1188, conv2d_parts_meta['MBLOCK']), **convolution_view_batch_norm_legit_whole_meta)
    return out
