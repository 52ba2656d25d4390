# kernelwright module 1
# name: ln
# level: triton  digest: fdf8dc809750
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[7, 300]", "w: f32[300]"],
    "state": [],
    "outputs": ["out: f32[7, 300]"],
    "returns": "tensor",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "source": '''\
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x, w):
        return F.layer_norm(x, (300,), w)


def get_inputs():
    return [torch.randn(7, 300), torch.randn(300)]
''',
}


# covers: aten.native_layer_norm
@triton.jit
def layer_norm(x_ptr, w_ptr, out_ptr, XBLOCK: tl.constexpr, R0_BLOCK: tl.constexpr):
    acc = tl.zeros([XBLOCK, R0_BLOCK], tl.float32)
    columns = tl.arange(0, R0_BLOCK)[None, :]
    rows = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:, None]
    mask = rows < 7
    acc_1 = acc
    for start in range(0, 300, R0_BLOCK):
        columns_1 = start + columns
        mask_1 = (columns_1 < 300) & mask
        x = tl.load(x_ptr + (columns_1 + 300 * rows), mask=mask_1, other=0.0, eviction_policy='evict_last')
        chosen = tl.where(mask_1, acc_1 + tl.broadcast_to(x, [XBLOCK, R0_BLOCK]), acc_1)
        acc_1 = chosen
    quotient = tl.sum(acc_1, axis=1)[:, None] / 300.0
    for start in range(0, 300, R0_BLOCK):
        columns_1 = 299 // R0_BLOCK * R0_BLOCK - start + columns
        mask_1 = (columns_1 < 300) & mask
        x = tl.load(x_ptr + (columns_1 + 300 * rows), mask=mask_1, other=0.0, eviction_policy='evict_last')
        difference = x - quotient
        chosen = tl.where(mask_1, acc + tl.broadcast_to(difference * difference, [XBLOCK, R0_BLOCK]), acc)
        acc = chosen
    column = tl.sum(acc, axis=1)[:, None]
    for start in range(0, 300, R0_BLOCK):
        columns_1 = start + columns
        offsets = columns_1 + 300 * rows
        mask_1 = columns_1 < 300
        mask_2 = mask_1 & mask
        x = tl.load(x_ptr + offsets, mask=mask_2, other=0.0, eviction_policy='evict_first')
        w = tl.load(w_ptr + columns_1, mask=mask_1, other=0.0, eviction_policy='evict_last')
        product = (x - quotient) * tl.rsqrt(column / 300.0 + 1e-05) * w
        tl.store(out_ptr + offsets, product, mask=mask_2)

layer_norm_meta = {"XBLOCK": 4, "R0_BLOCK": 512, "num_warps": 8}


def forward(x: "f32[7, 300]", w: "f32[300]"):
    out = torch.empty_strided((7, 300), (300, 1), device=x.device, dtype=torch.float32)
    layer_norm[triton.cdiv(7, layer_norm_meta['XBLOCK']),](x, w, out, **layer_norm_meta)
    return out
