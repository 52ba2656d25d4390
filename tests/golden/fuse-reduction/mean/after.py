# kernelwright module 1
# name: program
# level: triton  digest: bcccf7780f24
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
def conv2d_parts(x_ptr, weight_ptr, conv_bias_ptr, acc_parts_ptr, MBLOCK: tl.constexpr, NBLOCK: tl.constexpr, KBLOCK: tl.constexpr):
    tiles: tl.constexpr = (16 + NBLOCK - 1) // NBLOCK
    channel = tl.program_id(0) % tiles * NBLOCK + tl.arange(0, NBLOCK)[None, :]
    image_tiles: tl.constexpr = (56 + MBLOCK - 1) // MBLOCK
    image = tl.program_id(0) // tiles // image_tiles
    place = tl.program_id(0) // tiles % image_tiles * MBLOCK + tl.arange(0, MBLOCK)[:, None]
    pixel = image * 56 + place
    ox = pixel % 8
    oy = pixel // 8 % 7
    batch = pixel // 8 // 7
    inside = place < 56
    iy = oy
    ix = ox
    x_at = x_ptr + (720 * batch + 80 * iy + 8 * ix)
    weight_at = weight_ptr + 24 * channel
    acc = tl.zeros([MBLOCK, NBLOCK], tl.float32)
    padded: tl.constexpr = (24 + KBLOCK - 1) // KBLOCK * KBLOCK
    for step in range(0, 3 * padded, KBLOCK):
        first = step % padded // KBLOCK * KBLOCK
        k = first + tl.arange(0, KBLOCK)
        ky = step // padded % 3
        a = tl.load(x_at + 80 * ky + k[None, :], inside & (k[None, :] < 24), other=0.0)
        b = tl.load(weight_at + 384 * ky + k[:, None], (k[:, None] < 24) & (channel < 16), other=0.0)
        acc = tl.dot(a, b, acc, input_precision='ieee')
    conv_bias = tl.load(conv_bias_ptr + channel, channel < 16, eviction_policy='evict_last', other=0.0)
    convolution_out = acc.to(tl.float32)
    add = convolution_out + conv_bias
    mul = add * 0.5
    mul_1 = add * 0.7071067811865476
    erf = tl.erf(mul_1)
    add_1 = erf + 1.0
    mul_2 = mul * add_1
    broadcast_to = mul_2
    tl.store(acc_parts_ptr + (tl.program_id(0) // tiles * 16 + channel), tl.sum(tl.where(inside & (channel < 16), broadcast_to, 0), 0)[None, :], channel < 16)

conv2d_parts_meta = {"MBLOCK": 128, "NBLOCK": 16, "KBLOCK": 32, "num_warps": 4, "num_stages": 3}


# covers: aten.convolution, aten.gelu, aten.mean
@triton.jit
def convolution_gelu_mean_whole(out_ptr, acc_parts_ptr, slabs, XBLOCK: tl.constexpr, R0_BLOCK: tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < 32
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    acc = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    for r0_offset in tl.range(0, slabs, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < slabs
        broadcast_to = tl.load(acc_parts_ptr + (16 * (slabs * (xindex // 16) + r0_index) + xindex % 16), r0_mask & xmask, other=0)
        add_2 = acc + broadcast_to
        acc = tl.where(r0_mask & xmask, add_2, acc)
    sum_0 = tl.sum(acc, 1)[:, None]
    div = sum_0 / 56.0
    tl.store(out_ptr + xindex, div, xmask)

convolution_gelu_mean_whole_meta = {"XBLOCK": 1, "R0_BLOCK": 1024, "num_warps": 4}


def forward(a: "f32[2, 8, 9, 10]", conv_weight: "f32[16, 8, 3, 3]", conv_bias: "f32[16]"):
    buf0 = torch.empty_strided((2, 8, 9, 10), (720, 1, 80, 8), device=a.device, dtype=torch.float32)
    convolution[triton.cdiv(90, convolution_meta['XBLOCK']), triton.cdiv(16, convolution_meta['YBLOCK'])](a, buf0, **convolution_meta)
    buf1 = torch.empty_strided((16, 8, 3, 3), (72, 1, 24, 8), device=a.device, dtype=torch.float32)
    convolution_kernel[triton.cdiv(9, convolution_kernel_meta['XBLOCK']), triton.cdiv(128, convolution_kernel_meta['YBLOCK'])](conv_weight, buf1, **convolution_kernel_meta)
    conv2d_weight = buf1.permute(2, 0, 3, 1).contiguous()
    parts_acc = torch.empty_strided((2 * triton.cdiv(56, conv2d_parts_meta['MBLOCK']), 16), (16, 1), device=a.device, dtype=torch.float32)
    conv2d_parts[triton.cdiv(16, conv2d_parts_meta['NBLOCK']) * (2 * triton.cdiv(56, conv2d_parts_meta['MBLOCK'])),](buf0, conv2d_weight, conv_bias, parts_acc, **conv2d_parts_meta)
    del buf0
    del buf1
    out = torch.empty_strided((2, 16), (16, 1), device=a.device, dtype=torch.float32)
    convolution_gelu_mean_whole[triton.cdiv(32, convolution_gelu_mean_whole_meta['XBLOCK']),](out, parts_acc, triton.cdiv(56, conv2d_parts_meta['MBLOCK']), **convolution_gelu_mean_whole_meta)
    return out
