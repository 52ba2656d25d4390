# kernelwright module 1
# name: pooled_convolution
# level: triton  digest: fc8e121fcce6
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[2, 2, 8, 9]"],
    "state": [
        "convolution.weight -> convolution_weight: f32[4, 2, 3, 3]",
        "convolution.bias -> convolution_bias: f32[4]",
    ],
    "outputs": ["out: f32[2, 4, 3, 3]"],
    "returns": "tensor",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "numerics": "torch",
    "source": '''\
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution = torch.nn.Conv2d(2, 4, 3)

    def forward(self, x):
        return torch.nn.functional.avg_pool2d(self.convolution(x) * 3.0, 2).relu()


def get_inputs():
    return [torch.randn(2, 2, 8, 9)]


def get_init_inputs():
    return []
''',
}


@triton.jit
def maximum(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


# covers: aten.constant_pad_nd, aten.avg_pool2d
@triton.jit
def constant_pad_nd_avg_pool2d(convolution_weight_ptr, buf0_ptr, YBLOCK: tl.constexpr, XBLOCK: tl.constexpr):
    yoffset = tl.program_id(1) * YBLOCK
    yindex = yoffset + tl.arange(0, YBLOCK)[:, None]
    ymask = yindex < 8
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[None, :]
    xmask = xindex < 16
    x3 = xindex // 4
    x2 = xindex % 4
    y0 = yindex % 2
    y1 = yindex // 2
    add = (-1 + x3).to(tl.int32)
    full_0 = tl.full([1, 1], 0, tl.int64)
    test = add >= full_0
    full_1 = tl.full([1, 1], 3, tl.int64)
    test_1 = add < full_1
    add_1 = (-1 + x2).to(tl.int32)
    test_2 = add_1 >= full_0
    test_3 = add_1 < full_1
    both = test & test_1
    both_1 = both & test_2
    both_2 = both_1 & test_3
    convolution_weight = tl.load(convolution_weight_ptr + (-4 + x2 + 3 * x3 + 9 * yindex), both_2 & xmask & ymask, other=0.0)
    cast = x2.to(tl.int32)
    test_4 = cast >= full_0
    test_5 = cast < full_1
    both_3 = both & test_4
    both_4 = both_3 & test_5
    convolution_weight_1 = tl.load(convolution_weight_ptr + (-3 + x2 + 3 * x3 + 9 * yindex), both_4 & xmask & ymask, other=0.0)
    add_2 = convolution_weight + convolution_weight_1
    cast_1 = x3.to(tl.int32)
    test_6 = cast_1 >= full_0
    test_7 = cast_1 < full_1
    both_5 = test_6 & test_7
    both_6 = both_5 & test_2
    both_7 = both_6 & test_3
    convolution_weight_2 = tl.load(convolution_weight_ptr + (-1 + x2 + 3 * x3 + 9 * yindex), both_7 & xmask & ymask, other=0.0)
    add_3 = add_2 + convolution_weight_2
    both_8 = both_5 & test_4
    both_9 = both_8 & test_5
    convolution_weight_3 = tl.load(convolution_weight_ptr + (x2 + 3 * x3 + 9 * yindex), both_9 & xmask & ymask, other=0.0)
    add_4 = add_3 + convolution_weight_3
    div = add_4 / 4.0
    tl.store(buf0_ptr + (y0 + 2 * xindex + 32 * y1), div, xmask & ymask)

constant_pad_nd_avg_pool2d_meta = {"YBLOCK": 8, "XBLOCK": 16, "num_warps": 4}


# covers: aten.constant_pad_nd, aten.avg_pool2d, aten.convolution
@triton.jit
def constant_pad_nd_avg_pool2d_convolution(x_ptr, buf1_ptr, YBLOCK: tl.constexpr, XBLOCK: tl.constexpr):
    yoffset = tl.program_id(1) * YBLOCK
    yindex = yoffset + tl.arange(0, YBLOCK)[:, None]
    ymask = yindex < 4
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[None, :]
    xmask = xindex < 72
    y0 = yindex % 2
    y1 = yindex // 2
    x = tl.load(x_ptr + (xindex + 72 * yindex), xmask & ymask)
    tl.store(buf1_ptr + (y0 + 2 * xindex + 144 * y1), x, xmask & ymask)

constant_pad_nd_avg_pool2d_convolution_meta = {"YBLOCK": 4, "XBLOCK": 32, "num_warps": 4}


# covers: aten.constant_pad_nd, aten.avg_pool2d, aten.convolution, aten.mul, aten.relu
@triton.jit
def constant_pad_nd_avg_pool2d_convolution_mul(convolution_ptr, convolution_bias_ptr, out_ptr, YBLOCK: tl.constexpr, XBLOCK: tl.constexpr):
    yoffset = tl.program_id(1) * YBLOCK
    yindex = yoffset + tl.arange(0, YBLOCK)[:, None]
    ymask = yindex < 8
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[None, :]
    xmask = xindex < 9
    y0 = yindex % 4
    y1 = yindex // 4
    convolution = tl.load(convolution_ptr + (y0 + 4 * xindex + 36 * y1), xmask & ymask)
    convolution_bias = tl.load(convolution_bias_ptr + y0, ymask, eviction_policy='evict_last')
    add = convolution + convolution_bias
    mul = add * 3.0
    full_0 = tl.full([1, 1], 0, tl.int32)
    maximum_1 = maximum(full_0, mul)
    tl.store(out_ptr + (xindex + 9 * yindex), maximum_1, xmask & ymask)

constant_pad_nd_avg_pool2d_convolution_mul_meta = {"YBLOCK": 8, "XBLOCK": 16, "num_warps": 4}


def forward(x: "f32[2, 2, 8, 9]", convolution_weight: "f32[4, 2, 3, 3]", convolution_bias: "f32[4]"):
    buf0 = torch.empty_strided((4, 2, 4, 4), (32, 1, 8, 2), device=x.device, dtype=torch.float32)
    constant_pad_nd_avg_pool2d[triton.cdiv(16, constant_pad_nd_avg_pool2d_meta['XBLOCK']), triton.cdiv(8, constant_pad_nd_avg_pool2d_meta['YBLOCK'])](convolution_weight, buf0, **constant_pad_nd_avg_pool2d_meta)
    buf1 = torch.empty_strided((2, 2, 8, 9), (144, 1, 18, 2), device=x.device, dtype=torch.float32)
    constant_pad_nd_avg_pool2d_convolution[triton.cdiv(72, constant_pad_nd_avg_pool2d_convolution_meta['XBLOCK']), triton.cdiv(4, constant_pad_nd_avg_pool2d_convolution_meta['YBLOCK'])](x, buf1, **constant_pad_nd_avg_pool2d_convolution_meta)
    convolution = aten.convolution.default(buf1, buf0, None, (2, 2), (0, 0), (1, 1), False, (0, 0), 1)
    convolution = convolution.contiguous(memory_format=torch.channels_last)
    del buf0
    del buf1
    out = torch.empty_strided((2, 4, 3, 3), (36, 9, 3, 1), device=x.device, dtype=torch.float32)
    constant_pad_nd_avg_pool2d_convolution_mul[triton.cdiv(9, constant_pad_nd_avg_pool2d_convolution_mul_meta['XBLOCK']), triton.cdiv(8, constant_pad_nd_avg_pool2d_convolution_mul_meta['YBLOCK'])](convolution, convolution_bias, out, **constant_pad_nd_avg_pool2d_convolution_mul_meta)
    return out
