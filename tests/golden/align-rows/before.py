# kernelwright module 1
# name: l2_norm
# level: triton  digest: afcbd510c7f3
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["a: f32[6, 1023]"],
    "state": [],
    "outputs": ["out: f32[6, 1023]"],
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
        pass
        self.to(torch.float32)

    def forward(self, a):
        return a / torch.norm(a, dim=1, keepdim=True)

def get_inputs():
    return [torch.randn((6, 1023), dtype=torch.float32)]
''',
}


# covers: aten.linalg_vector_norm, aten.div
@triton.jit
def linalg_vector_norm_div(a_ptr, out_ptr, XBLOCK: tl.constexpr, R0_BLOCK: tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < 6
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    acc = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    for r0_offset in tl.range(0, 1023, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < 1023
        r0_1 = r0_index
        a = tl.load(a_ptr + (r0_1 + 1023 * xindex), r0_mask & xmask, eviction_policy='evict_last', other=0.0)
        mul = a * a
        broadcast_to = tl.broadcast_to(mul, [XBLOCK, R0_BLOCK])
        add = acc + broadcast_to
        acc = tl.where(r0_mask & xmask, add, acc)
    sum_0 = tl.sum(acc, 1)[:, None]
    for r0_offset in tl.range(0, 1023, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < 1023
        r0_1 = r0_index
        a_1 = tl.load(a_ptr + (r0_1 + 1023 * xindex), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        sqrt_rn = tl.sqrt_rn(sum_0)
        div = a_1 / sqrt_rn
        tl.store(out_ptr + (r0_1 + 1023 * xindex), div, r0_mask & xmask)

linalg_vector_norm_div_meta = {"XBLOCK": 2, "R0_BLOCK": 1024, "num_warps": 8}


def forward(a: "f32[6, 1023]"):
    out = torch.empty_strided((6, 1023), (1023, 1), device=a.device, dtype=torch.float32)
    linalg_vector_norm_div[triton.cdiv(6, linalg_vector_norm_div_meta['XBLOCK']),](a, out, **linalg_vector_norm_div_meta)
    return out
