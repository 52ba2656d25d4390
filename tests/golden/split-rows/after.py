# kernelwright module 1
# name: sr
# level: triton  digest: 527a4257cb02
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[3, 10000]"],
    "state": [],
    "outputs": ["out: f32[3]"],
    "returns": "tensor",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "source": '''\
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return (x * x).mean(1) + 1


def get_inputs():
    return [torch.randn(3, 10000)]
''',
}


# covers: aten.mul, aten.mean, aten.add
@triton.jit
def mul_mean_add_parts(x_ptr, sum_parts_ptr, XBLOCK: tl.constexpr, R0_BLOCK: tl.constexpr):
    pid_1 = tl.program_id(1)
    first = pid_1 * 8192
    smaller = tl.minimum(first + 8192, 10000)
    columns = tl.arange(0, R0_BLOCK)[None, :]
    rows = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:, None]
    mask = rows < 3
    acc = tl.zeros([XBLOCK, R0_BLOCK], tl.float32)
    for start in range(first, smaller, R0_BLOCK):
        columns_1 = start + columns
        mask_1 = (columns_1 < smaller) & mask
        x = tl.load(x_ptr + (columns_1 + 10000 * rows), mask=mask_1, other=0.0, eviction_policy='evict_first')
        chosen = tl.where(mask_1, acc + tl.broadcast_to(x * x, [XBLOCK, R0_BLOCK]), acc)
        acc = chosen
    tl.store(sum_parts_ptr + (2 * rows + pid_1), tl.sum(acc, axis=1)[:, None], mask=mask)

mul_mean_add_parts_meta = {"XBLOCK": 2, "R0_BLOCK": 1024, "num_warps": 8}


# covers: aten.mul, aten.mean, aten.add
@triton.jit
def mul_mean_add_whole(out_ptr, sum_parts_ptr, XBLOCK: tl.constexpr):
    rows = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:, None]
    columns = tl.arange(0, 2)[None, :]
    mask = rows < 3
    sum_parts = tl.load(sum_parts_ptr + (2 * rows + columns), mask=(columns < 2) & mask, other=0)
    tl.store(out_ptr + rows, tl.sum(sum_parts, axis=1)[:, None] / 10000.0 + 1.0, mask=mask)

mul_mean_add_whole_meta = {"XBLOCK": 4, "num_warps": 1}


def forward(x: "f32[3, 10000]"):
    out = torch.empty_strided((3,), (1,), device=x.device, dtype=torch.float32)
    parts_sum = torch.empty_strided((3, 2), (2, 1), device=x.device, dtype=torch.float32)
    mul_mean_add_parts[triton.cdiv(3, mul_mean_add_parts_meta['XBLOCK']), 2](x, parts_sum, **mul_mean_add_parts_meta)
    mul_mean_add_whole[triton.cdiv(3, mul_mean_add_whole_meta['XBLOCK']),](out, parts_sum, **mul_mean_add_whole_meta)
    return out
