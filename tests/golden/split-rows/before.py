# kernelwright module 1
# name: sr
# level: triton  digest: 74ff901960d0
# record: {"pass_spec": "lower-inductor{persistent=false,split=false}", "parent": "fc6d8fd4a927e3afcdddb18c4698f05515b3cd7dd64f2786ca02ab073221d294", "seconds": 4.471, "seed": 0}
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
def mul_mean_add(x_ptr, out_ptr, XBLOCK: tl.constexpr, R0_BLOCK: tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < 3
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    acc = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    for r0_offset in tl.range(0, 10000, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < 10000
        x = tl.load(x_ptr + (r0_index + 10000 * xindex), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        mul = x * x
        broadcast_to = tl.broadcast_to(mul, [XBLOCK, R0_BLOCK])
        add = acc + broadcast_to
        acc = tl.where(r0_mask & xmask, add, acc)
    sum_0 = tl.sum(acc, 1)[:, None]
    div = sum_0 / 10000.0
    add_1 = div + 1.0
    tl.store(out_ptr + xindex, add_1, xmask)

mul_mean_add_meta = {"XBLOCK": 2, "R0_BLOCK": 1024, "num_warps": 8}


def forward(x: "f32[3, 10000]"):
    out = torch.empty_strided((3,), (1,), device=x.device, dtype=torch.float32)
    mul_mean_add[triton.cdiv(3, mul_mean_add_meta['XBLOCK']),](x, out, **mul_mean_add_meta)
    return out
