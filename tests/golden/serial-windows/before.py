# kernelwright module 1
# name: sw
# level: triton  digest: ad61ba5ddc97
# record: {"pass_spec": "lower-inductor{persistent=false}", "parent": "ecc54f5d403103cb5670d904fff4ff3cf3fda0f6642886ce19f18951d09214c1", "seconds": 3.909, "seed": 0}
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
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < 480
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    x2 = xindex // 20 % 4
    x1 = xindex // 5 % 4
    x0 = xindex % 5
    x3 = xindex // 80
    acc = tl.full([XBLOCK, R0_BLOCK], float('-inf'), tl.float32)
    for r0_offset in tl.range(0, 27, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < 27
        r0_6 = r0_index // 9
        r0_5 = r0_index // 3 % 3
        r0_4 = r0_index % 3
        add = (-1 + r0_6 + 2 * x2).to(tl.int32)
        full_0 = tl.full([1, 1], 0, tl.int64)
        test = add >= full_0
        full_1 = tl.full([1, 1], 7, tl.int64)
        test_1 = add < full_1
        both = test & test_1
        add_1 = (-1 + r0_5 + 2 * x1).to(tl.int32)
        test_2 = add_1 >= full_0
        full_2 = tl.full([1, 1], 8, tl.int64)
        test_3 = add_1 < full_2
        both_1 = test_2 & test_3
        add_2 = (-1 + r0_4 + 2 * x0).to(tl.int32)
        test_4 = add_2 >= full_0
        full_3 = tl.full([1, 1], 9, tl.int64)
        test_5 = add_2 < full_3
        both_2 = test_4 & test_5
        both_3 = both & both_1
        both_4 = both_3 & both_2
        x = tl.load(x_ptr + (-82 + r0_4 + 2 * x0 + 9 * r0_5 + 18 * x1 + 72 * r0_6 + 144 * x2 + 504 * x3), r0_mask & both_4 & xmask, eviction_policy='evict_first', other=float('-inf'))
        broadcast_to = tl.broadcast_to(x, [XBLOCK, R0_BLOCK])
        maximum_1 = maximum(acc, broadcast_to)
        acc = tl.where(r0_mask & xmask, maximum_1, acc)
    reduce_max_1 = reduce_max(acc, 1)[:, None]
    tl.store(out_ptr + xindex, reduce_max_1, xmask)

max_pool3d_with_indices_meta = {"XBLOCK": 64, "R0_BLOCK": 32, "num_warps": 8}


def forward(x: "f32[2, 3, 7, 8, 9]"):
    out = torch.empty_strided((2, 3, 4, 4, 5), (240, 80, 20, 5, 1), device=x.device, dtype=torch.float32)
    max_pool3d_with_indices[triton.cdiv(480, max_pool3d_with_indices_meta['XBLOCK']),](x, out, **max_pool3d_with_indices_meta)
    return out
