# kernelwright module 1
# name: ln
# level: triton  digest: 34df2da0d2e5
# record: {"pass_spec": "lower-inductor{persistent=false}", "parent": "7889236dc5f948305dac13cb8ed184bc2255e0cf3514d26a9f236ae013118484", "seconds": 3.684, "seed": 0}
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
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < 7
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    acc = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    for r0_offset in tl.range(0, 300, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < 300
        r0_1 = r0_index
        x = tl.load(x_ptr + (r0_1 + 300 * xindex), r0_mask & xmask, eviction_policy='evict_last', other=0.0)
        broadcast_to = tl.broadcast_to(x, [XBLOCK, R0_BLOCK])
        add = acc + broadcast_to
        acc = tl.where(r0_mask & xmask, add, acc)
    sum_0 = tl.sum(acc, 1)[:, None]
    div = sum_0 / 300.0
    acc_1 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    for r0_offset in tl.range(0, 300, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < 300
        r0_1 = r0_index
        x_1 = tl.load(x_ptr + (r0_1 + 300 * xindex), r0_mask & xmask, eviction_policy='evict_last', other=0.0)
        sub = x_1 - div
        mul = sub * sub
        broadcast_to_1 = tl.broadcast_to(mul, [XBLOCK, R0_BLOCK])
        add_1 = acc_1 + broadcast_to_1
        acc_1 = tl.where(r0_mask & xmask, add_1, acc_1)
    sum_1 = tl.sum(acc_1, 1)[:, None]
    for r0_offset in tl.range(0, 300, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < 300
        r0_1 = r0_index
        x_2 = tl.load(x_ptr + (r0_1 + 300 * xindex), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        w = tl.load(w_ptr + r0_1, r0_mask, eviction_policy='evict_last', other=0.0)
        sub_1 = x_2 - div
        div_1 = sum_1 / 300.0
        add_2 = div_1 + 1e-05
        rsqrt = tl.rsqrt(add_2)
        mul_1 = sub_1 * rsqrt
        mul_2 = mul_1 * w
        tl.store(out_ptr + (r0_1 + 300 * xindex), mul_2, r0_mask & xmask)

layer_norm_meta = {"XBLOCK": 4, "R0_BLOCK": 512, "num_warps": 8}


def forward(x: "f32[7, 300]", w: "f32[300]"):
    out = torch.empty_strided((7, 300), (300, 1), device=x.device, dtype=torch.float32)
    layer_norm[triton.cdiv(7, layer_norm_meta['XBLOCK']),](x, w, out, **layer_norm_meta)
    return out
