# kernelwright module 1
# name: sw
# level: triton  digest: ab4ebadcf98d
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[2, 3, 7, 8, 9]"],
    "state": [],
    "outputs": ["out: f32[2, 3, 4, 4, 5]"],
    "returns": "tensor",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "source": '''\
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool = nn.MaxPool3d(3, stride=2, padding=1)

    def forward(self, x):
        return self.pool(x)


def get_inputs():
    return [torch.randn(2, 3, 7, 8, 9)]
''',
}


@triton.jit
def maximum(a, b):
    return tl.where((a > b) | (a != a), a, b)


@triton.jit
def reduce_max(value, dim):
    return tl.reduce(value, dim, maximum)


# covers: aten.max_pool3d_with_indices
@triton.jit
def max_pool3d_with_indices(x_ptr, out_ptr, XBLOCK: tl.constexpr, R0_BLOCK: tl.constexpr):
    columns = tl.arange(0, R0_BLOCK)[None, :]
    rows = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:, None]
    mask = rows < 480
    rows_1 = rows % 5
    rows_2 = rows // 5 % 4
    rows_3 = rows // 20 % 4
    rows_4 = rows // 80
    acc = tl.full([XBLOCK, R0_BLOCK], -float("inf"), tl.float32)
    for i in tl.static_range(0, 27, R0_BLOCK):
        columns_1 = i + columns
        mask_1 = columns_1 < 27
        columns_2 = columns_1 % 3
        rows_5 = 2 * rows_1
        columns_3 = columns_1 // 3 % 3
        columns_4 = columns_1 // 9
        index = -82 + columns_2 + rows_5 + 9 * columns_3 + 18 * rows_2 + 72 * columns_4
        x_pointers = x_ptr + (index + 144 * rows_3 + 504 * rows_4)
        converted = (-1 + columns_4 + 2 * rows_3).to(tl.int32)
        filled = tl.zeros([1, 1], tl.int64)
        converted_1 = (-1 + columns_3 + 2 * rows_2).to(tl.int32)
        both = (converted >= filled) & (converted < tl.full([1, 1], 7, tl.int64)) & ((converted_1 >= filled) & (converted_1 < tl.full([1, 1], 8, tl.int64)))
        converted_2 = (-1 + columns_2 + rows_5).to(tl.int32)
        mask_2 = both & ((converted_2 >= filled) & (converted_2 < tl.full([1, 1], 9, tl.int64)))
        x = tl.load(x_pointers, mask=mask_1 & mask_2 & mask, other=-float("inf"), eviction_policy='evict_first')
        chosen = tl.where(mask_1 & mask, maximum(acc, tl.broadcast_to(x, [XBLOCK, R0_BLOCK])), acc)
        acc = chosen
    tl.store(out_ptr + rows, tl.expand_dims(reduce_max(acc, 1), 1), mask=mask)

max_pool3d_with_indices_meta = {"XBLOCK": 256, "R0_BLOCK": 1, "num_warps": 4}


def forward(x: "f32[2, 3, 7, 8, 9]"):
    out = torch.empty_strided((2, 3, 4, 4, 5), (240, 80, 20, 5, 1), device=x.device, dtype=torch.float32)
    max_pool3d_with_indices[triton.cdiv(480, max_pool3d_with_indices_meta['XBLOCK']),](x, out, **max_pool3d_with_indices_meta)
    return out
