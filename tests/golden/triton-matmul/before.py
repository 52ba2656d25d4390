# kernelwright module 1
# name: mm
# level: triton  digest: 76e5654bcecc
# record: {"pass_spec": "lower-inductor", "parent": "290365692041786f49226d266bbd682b07974b28c43330521715c3db5fdf6db9", "seconds": 1.123, "seed": 0}
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["a: f32[40, 18]", "b: f32[18, 40]"],
    "state": [],
    "outputs": ["out: f32[40, 40]"],
    "returns": "tensor",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "source": '''\
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return torch.tril(a @ b)


def get_inputs():
    return [torch.randn(40, 18), torch.randn(18, 40)]
''',
}


# covers: aten.tril
@triton.jit
def tril(buf0_ptr, out_ptr, XBLOCK: tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < 1600
    x0 = xindex % 40
    x1 = xindex // 40
    buf0 = tl.load(buf0_ptr + xindex, xmask)
    add = (x0 + -1 * x1).to(tl.int64)
    cast = add.to(tl.int64)
    full_0 = tl.full([1], 0, tl.int64)
    test = cast <= full_0
    full_1 = tl.full([1], 0.0, tl.float32)
    where_0 = tl.where(test, buf0, full_1)
    tl.store(out_ptr + xindex, where_0, xmask)

tril_meta = {"XBLOCK": 2048, "num_warps": 8}


def forward(a: "f32[40, 18]", b: "f32[18, 40]"):
    buf0 = torch.empty_strided((40, 40), (40, 1), device=a.device, dtype=torch.float32)
    aten.mm.out(a, b, out=buf0)
    out = torch.empty_strided((40, 40), (40, 1), device=a.device, dtype=torch.float32)
    tril[triton.cdiv(1600, tril_meta['XBLOCK']),](buf0, out, **tril_meta)
    return out
