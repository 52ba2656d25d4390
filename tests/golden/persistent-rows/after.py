# kernelwright module 1
# name: ln
# level: triton  digest: 126f623c04c5
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
def layer_norm(x_ptr, w_ptr, out_ptr, XBLOCK: tl.constexpr):
    columns = tl.arange(0, 512)[None, :]
    rows = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:, None]
    offsets = columns + 300 * rows
    mask = columns < 300
    mask_1 = mask & (rows < 7)
    x = tl.load(x_ptr + offsets, mask=mask_1, other=0.0, eviction_policy='evict_last')
    filled = tl.zeros([XBLOCK, 512], tl.float32)
    chosen = tl.where(mask_1, filled + tl.broadcast_to(x, [XBLOCK, 512]), filled)
    difference = x - tl.sum(chosen, axis=1)[:, None] / 300.0
    chosen_1 = tl.where(mask_1, filled + tl.broadcast_to(difference * difference, [XBLOCK, 512]), filled)
    w = tl.load(w_ptr + columns, mask=mask, other=0.0, eviction_policy='evict_last')
    product = difference * tl.rsqrt(tl.sum(chosen_1, axis=1)[:, None] / 300.0 + 1e-05) * w
    tl.store(out_ptr + offsets, product, mask=mask_1)

layer_norm_meta = {"XBLOCK": 4, "num_warps": 2}


def forward(x: "f32[7, 300]", w: "f32[300]"):
    out = torch.empty_strided((7, 300), (300, 1), device=x.device, dtype=torch.float32)
    layer_norm[triton.cdiv(7, layer_norm_meta['XBLOCK']),](x, w, out, **layer_norm_meta)
    return out
