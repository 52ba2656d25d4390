# kernelwright module 1
# name: dg
# level: triton  digest: 618ccbaebe97
# record: {"pass_spec": "lower-inductor", "parent": "29b7e56228dc99357e36dca9936a7250127b704be4d6a6bad122c2735b18ae29", "seconds": 3.899, "seed": 0}
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["d: f32[20]", "b: f32[20, 30]"],
    "state": [],
    "outputs": ["out: f32[20, 30]"],
    "returns": "tensor",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "source": '''\
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, d, b):
        return torch.diag(d) @ b


def get_inputs():
    return [torch.randn(20), torch.randn(20, 30)]
''',
}


# covers: aten.diag_embed
@triton.jit
def diag_embed(d_ptr, buf0_ptr, XBLOCK: tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < 400
    x0 = xindex % 20
    x1 = xindex // 20
    d = tl.load(d_ptr + x0, xmask, eviction_policy='evict_last')
    cast = x0.to(tl.int64)
    cast_1 = cast.to(tl.int64)
    cast_2 = x1.to(tl.int64)
    cast_3 = cast_2.to(tl.int64)
    test = cast_1 == cast_3
    full_0 = tl.full([1], 0.0, tl.float32)
    where_0 = tl.where(test, d, full_0)
    tl.store(buf0_ptr + xindex, where_0, xmask)

diag_embed_meta = {"XBLOCK": 512, "num_warps": 2}


def forward(d: "f32[20]", b: "f32[20, 30]"):
    buf0 = torch.empty_strided((20, 20), (20, 1), device=d.device, dtype=torch.float32)
    diag_embed[triton.cdiv(400, diag_embed_meta['XBLOCK']),](d, buf0, **diag_embed_meta)
    out = torch.empty_strided((20, 30), (30, 1), device=d.device, dtype=torch.float32)
    aten.mm.out(buf0, b, out=out)
    return out
