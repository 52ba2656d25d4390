# kernelwright module 1
# name: program
# level: triton  digest: 73992689c3ab
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


@triton.jit
def welford(mean, m2, weight, dim):
    return tl.reduce((mean, m2, weight), dim, welford_combine)


@triton.jit
def welford_reduce(value, mean, m2, weight, first):
    if first:
        new_mean = value
        new_m2 = tl.zeros_like(m2)
        new_weight = tl.full(weight.shape, 1, weight.dtype)
    else:
        delta = value - mean
        new_weight = weight + 1
        new_mean = mean + delta / new_weight
        new_m2 = m2 + delta * (value - new_mean)
    return new_mean, new_m2, new_weight


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
def convolution_view_batch_norm_legit(convolution_out_ptr, conv_bias_ptr, out_ptr, XBLOCK: tl.constexpr, R0_BLOCK: tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < 12
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    conv_bias = tl.load(conv_bias_ptr + xindex % 6, xmask, eviction_policy='evict_last')
    zeros = tl.zeros([XBLOCK, R0_BLOCK], tl.float32)
    zeros_1 = tl.zeros([XBLOCK, R0_BLOCK], tl.float32)
    zeros_2 = tl.zeros([XBLOCK, R0_BLOCK], tl.float32)
    for r0_offset in tl.range(0, 1188, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < 1188
        roffset = r0_offset
        r0_1 = r0_index
        convolution_out = tl.load(convolution_out_ptr + (6 * r0_1 + 7128 * (xindex // 6) + xindex % 6), r0_mask & xmask, eviction_policy='evict_last', other=0.0)
        add = convolution_out + conv_bias
        broadcast_to = tl.broadcast_to(add, [XBLOCK, R0_BLOCK])
        value, value_1, value_2 = welford_reduce(broadcast_to, zeros, zeros_1, zeros_2, roffset == 0)
        zeros = tl.where(r0_mask & xmask, value, zeros)
        zeros_1 = tl.where(r0_mask & xmask, value_1, zeros_1)
        zeros_2 = tl.where(r0_mask & xmask, value_2, zeros_2)
    value_3, value_4, value_5 = welford(zeros, zeros_1, zeros_2, 1)
    value_6 = value_3[:, None]
    value_7 = value_4[:, None]
    x2 = xindex % 6
    x3 = xindex // 6
    for r0_offset in tl.range(0, 1188, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < 1188
        roffset = r0_offset
        r0_1 = r0_index
        convolution_out_1 = tl.load(convolution_out_ptr + (6 * r0_1 + 7128 * (xindex // 6) + xindex % 6), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        add_1 = convolution_out_1 + conv_bias
        sub = add_1 - value_6
        div = value_7 / 1188.0
        add_2 = div + 1e-05
        rsqrt = tl.rsqrt(add_2)
        mul = sub * rsqrt
        tl.store(out_ptr + (x2 + 6 * r0_1 + 7128 * x3), mul, r0_mask & xmask)

convolution_view_batch_norm_legit_meta = {"XBLOCK": 2, "R0_BLOCK": 64, "num_warps": 2}


# covers: aten.convolution
@triton.jit
def conv2d(x_ptr, weight_ptr, out_ptr, MBLOCK: tl.constexpr, NBLOCK: tl.constexpr, KBLOCK: tl.constexpr):
    tiles: tl.constexpr = (6 + NBLOCK - 1) // NBLOCK
    channel = tl.program_id(0) % tiles * NBLOCK + tl.arange(0, NBLOCK)[None, :]
    pixel = tl.program_id(0) // tiles * MBLOCK + tl.arange(0, MBLOCK)[:, None]
    ox = pixel % 33
    oy = pixel // 33 % 36
    batch = pixel // 33 // 36
    inside = (pixel < 2376)
    iy = oy
    ix = ox
    x_at = x_ptr + (5320 * batch + 140 * iy + 4 * ix)
    weight_at = weight_ptr + 12 * channel
    acc = tl.zeros([MBLOCK, NBLOCK], tl.float32)
    padded: tl.constexpr = (12 + KBLOCK - 1) // KBLOCK * KBLOCK
    for step in range(0, 3 * padded, KBLOCK):
        first = step % padded // KBLOCK * KBLOCK
        k = first + tl.arange(0, KBLOCK)
        ky = step // padded % 3
        a = tl.load(x_at + (140 * ky) + k[None, :], inside & (k[None, :] < 12), other=0.0)
        b = tl.load(weight_at + 72 * ky + k[:, None], (k[:, None] < 12) & (channel < 6), other=0.0)
        acc = tl.dot(a, b, acc, input_precision="ieee")
    tl.store(out_ptr + (7128 * batch + channel + 198 * oy + 6 * ox), acc, inside & (channel < 6))

conv2d_meta = {"MBLOCK": 128, "NBLOCK": 16, "KBLOCK": 16, "num_warps": 4, "num_stages": 3}


def forward(a: "f32[2, 4, 38, 35]", conv_weight: "f32[6, 4, 3, 3]", conv_bias: "f32[6]"):
    buf0 = torch.empty_strided((2, 4, 38, 35), (5320, 1, 140, 4), device=a.device, dtype=torch.float32)
    convolution[triton.cdiv(1330, convolution_meta['XBLOCK']), triton.cdiv(8, convolution_meta['YBLOCK'])](a, buf0, **convolution_meta)
    buf1 = torch.empty_strided((6, 4, 3, 3), (36, 1, 12, 4), device=a.device, dtype=torch.float32)
    convolution_kernel[triton.cdiv(9, convolution_kernel_meta['XBLOCK']), triton.cdiv(24, convolution_kernel_meta['YBLOCK'])](conv_weight, buf1, **convolution_kernel_meta)
    conv2d_weight = buf1.permute(2, 0, 3, 1).contiguous()
    convolution_out = torch.empty_strided((2, 6, 36, 33), (7128, 1, 198, 6), device=a.device, dtype=torch.float32)
    conv2d[triton.cdiv(6, conv2d_meta['NBLOCK']) * triton.cdiv(2376, conv2d_meta['MBLOCK']),](buf0, conv2d_weight, convolution_out, **conv2d_meta)
    del buf0
    del buf1
    out = torch.empty_strided((2, 6, 36, 33), (7128, 1, 198, 6), device=a.device, dtype=torch.float32)
    convolution_view_batch_norm_legit[triton.cdiv(12, convolution_view_batch_norm_legit_meta['XBLOCK']),](convolution_out, conv_bias, out, **convolution_view_batch_norm_legit_meta)
    return out
