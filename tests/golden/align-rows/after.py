# kernelwright module 1
# name: l2_norm
# level: triton  digest: 9fb93f2e282a
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
    lanes = tl.arange(0, R0_BLOCK)
    rows = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:, None]
    rows_1 = 1023 * rows
    rows_2 = (rows_1 + 31) // 32 * 32
    rows_3 = rows_2 - rows_1
    rows_4 = 1023 - rows_3
    rows_5 = rows_4 // 4 * 4
    mask = rows < 6
    acc = tl.zeros([XBLOCK, R0_BLOCK], tl.float32)
    for start in range(0, 1020, R0_BLOCK):
        columns = start + lanes[None, :]
        mask_1 = (columns < rows_5) & mask
        a = tl.load(a_ptr + (columns + rows_2), mask=mask_1, other=0.0, eviction_policy='evict_last')
        chosen = tl.where(mask_1, acc + tl.broadcast_to(a * a, [XBLOCK, R0_BLOCK]), acc)
        acc = chosen
    for start in range(0, 35, R0_BLOCK):
        columns = start + lanes[None, :]
        total = columns + tl.where(columns < 32, -32, rows_5 - 32)
        mask_1 = (total >= -rows_3) & (total < rows_4) & mask
        a = tl.load(a_ptr + (total + rows_2), mask=mask_1, other=0.0, eviction_policy='evict_last')
        chosen = tl.where(mask_1, acc + tl.broadcast_to(a * a, [XBLOCK, R0_BLOCK]), acc)
        acc = chosen
    column = tl.sum(acc, axis=1)[:, None]
    for start in range(0, 1020, R0_BLOCK):
        columns = start + lanes[None, :]
        offsets = columns + rows_2
        mask_1 = (columns < rows_5) & mask
        a = tl.load(a_ptr + offsets, mask=mask_1, other=0.0, eviction_policy='evict_first')
        tl.store(out_ptr + offsets, a / tl.sqrt_rn(column), mask=mask_1)
    for start in range(0, 35, R0_BLOCK):
        columns = start + lanes[None, :]
        total = columns + tl.where(columns < 32, -32, rows_5 - 32)
        offsets = total + rows_2
        mask_1 = (total >= -rows_3) & (total < rows_4) & mask
        a = tl.load(a_ptr + offsets, mask=mask_1, other=0.0, eviction_policy='evict_first')
        tl.store(out_ptr + offsets, a / tl.sqrt_rn(column), mask=mask_1)

linalg_vector_norm_div_meta = {"XBLOCK": 2, "R0_BLOCK": 1024, "num_warps": 8}


def forward(a: "f32[6, 1023]"):
    out = torch.empty_strided((6, 1023), (1023, 1), device=a.device, dtype=torch.float32)
    linalg_vector_norm_div[triton.cdiv(6, linalg_vector_norm_div_meta['XBLOCK']),](a, out, **linalg_vector_norm_div_meta)
    return out
