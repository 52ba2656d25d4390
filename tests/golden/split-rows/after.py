# kernelwright module 1
# name: sr
# level: triton  digest: a41ce3ad4393
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
def mul_mean_add_parts(x_ptr, acc_ptr, XBLOCK: tl.constexpr, R0_BLOCK: tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < 3
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    acc = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    part = tl.program_id(1)
    part_start = part * 8192
    part_stop = tl.minimum(part_start + 8192, 10000)
    for r0_offset in tl.range(part_start, part_stop, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < part_stop
        x = tl.load(x_ptr + (r0_index + 10000 * xindex), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        mul = x * x
        broadcast_to = tl.broadcast_to(mul, [XBLOCK, R0_BLOCK])
        add = acc + broadcast_to
        acc = tl.where(r0_mask & xmask, add, acc)
    sum_0 = tl.sum(acc, 1)[:, None]
    tl.store(acc_ptr + (2 * xindex + part), sum_0, xmask)

mul_mean_add_parts_meta = {"XBLOCK": 2, "R0_BLOCK": 1024, "num_warps": 8}


# covers: aten.mul, aten.mean, aten.add
@triton.jit
def mul_mean_add_whole(out_ptr, acc_ptr, XBLOCK: tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < 3
    PARTS: tl.constexpr = 2
    part = tl.arange(0, PARTS)[None, :]
    acc = tl.load(acc_ptr + (2 * xindex + part), (part < 2) & xmask, other=0)
    sum_0 = tl.sum(acc, 1)[:, None]
    div = sum_0 / 10000.0
    add_1 = div + 1.0
    tl.store(out_ptr + xindex, add_1, xmask)

mul_mean_add_whole_meta = {"XBLOCK": 4, "num_warps": 1}


def forward(x: "f32[3, 10000]"):
    out = torch.empty_strided((3,), (1,), device=x.device, dtype=torch.float32)
    parts_acc = torch.empty_strided((3, 2), (2, 1), device=x.device, dtype=torch.float32)
    mul_mean_add_parts[triton.cdiv(3, mul_mean_add_parts_meta['XBLOCK']), 2](x, parts_acc, **mul_mean_add_parts_meta)
    mul_mean_add_whole[triton.cdiv(3, mul_mean_add_whole_meta['XBLOCK']),](out, parts_acc, **mul_mean_add_whole_meta)
    return out
