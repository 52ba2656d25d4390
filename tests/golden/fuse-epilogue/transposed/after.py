# kernelwright module 1
# name: fe
# level: triton  digest: 57c2b9a7a2cc
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[2, 3, 5, 6]"],
    "state": [
        "shift -> shift: f32[4, 1, 1]",
        "conv.weight -> conv_weight: f32[3, 4, 3, 3]",
        "conv.bias -> conv_bias: f32[4]",
    ],
    "outputs": ["out: f32[2, 4, 11, 13]"],
    "returns": "tensor",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "source": '''\
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.ConvTranspose2d(3, 4, 3, stride=2)
        self.shift = nn.Parameter(torch.randn(4, 1, 1))

    def forward(self, x):
        return torch.relu(self.conv(x)) * self.shift


def get_inputs():
    return [torch.randn(2, 3, 5, 6)]
''',
}


# covers: aten.convolution, aten.relu, aten.mul
@triton.jit
def conv_transpose2d_relu_mul(
    x_ptr, weight_ptr, bias_ptr, shift_ptr, out_ptr_1, NBLOCK: tl.constexpr, MBLOCK: tl.constexpr,
):
    pid = tl.program_id(0)
    quotient: tl.constexpr = (4 + NBLOCK - 1) // NBLOCK
    tile = pid // quotient
    tile_1 = tile % 4
    tile_2 = tile_1 // 2
    columns = tile // 4 * MBLOCK + tl.arange(0, MBLOCK)[None, :]
    columns_1 = columns // 7
    columns_2 = columns_1 % 6
    mask = columns < 84
    columns_3 = 2 * columns_2 + tile_2
    mask_1 = columns_3 < 11
    columns_4 = columns % 7
    tile_3 = tile_1 % 2
    columns_5 = 2 * columns_4 + tile_3
    mask_2 = columns_5 < 13
    mask_3 = mask & mask_1 & mask_2
    tile_4 = tile_3 % 2
    rows = pid % quotient * NBLOCK + tl.arange(0, NBLOCK)[:, None]
    weight_pointers = weight_ptr + 9 * rows
    x_pointers = x_ptr + 90 * (columns_1 // 6)
    mask_4 = rows < 4
    acc = tl.zeros([NBLOCK, MBLOCK], tl.float32)
    for start in range(tile_2 % 2, 3, 2):
        columns_6 = columns_2 + (tile_2 - start) // 2
        mask_5 = mask_3 & (columns_6 >= 0) & (columns_6 < 5)
        for start_1 in range(tile_4, 3, 2):
            weight_pointers_1 = weight_pointers + (3 * start + start_1)
            columns_7 = columns_4 + (tile_3 - start_1) // 2
            x_pointers_1 = x_pointers + (6 * columns_6 + columns_7)
            mask_6 = mask_5 & (columns_7 >= 0) & (columns_7 < 6)
            for i in tl.static_range(3):
                weight = tl.load(weight_pointers_1 + 36 * i, mask=mask_4, other=0.0)
                x = tl.load(x_pointers_1 + 30 * i, mask=mask_6, other=0.0)
                acc += weight * x
    pointers = out_ptr_1 + (572 * (columns // 42) + 143 * rows + 13 * columns_3 + columns_5)
    filled = tl.zeros([1, 1], tl.int32)
    bias = tl.load(bias_ptr + rows, mask=mask_4, other=0.0)
    converted = (acc + bias).to(tl.float32)
    shift = tl.load(shift_ptr + rows, mask=mask_4, eviction_policy='evict_last')
    product = tl.where((filled > converted) | (filled != filled), filled, converted) * shift
    tl.store(pointers, product, mask=mask_4 & mask & mask_1 & mask_2)

conv_transpose2d_relu_mul_meta = {"NBLOCK": 4, "MBLOCK": 256, "num_warps": 4}


def forward(x: "f32[2, 3, 5, 6]", shift: "f32[4, 1, 1]", conv_weight: "f32[3, 4, 3, 3]", conv_bias: "f32[4]"):
    out = torch.empty_strided((2, 4, 11, 13), (572, 143, 13, 1), device=x.device, dtype=torch.float32)
    conv_transpose2d_relu_mul[triton.cdiv(4, conv_transpose2d_relu_mul_meta['NBLOCK']) * 4 * triton.cdiv(84, conv_transpose2d_relu_mul_meta['MBLOCK']),](x, conv_weight, conv_bias, shift, out, **conv_transpose2d_relu_mul_meta)
    return out
