# kernelwright module 1
# name: ff
# level: triton  digest: ab33efda9420
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[6, 300]"],
    "state": [],
    "outputs": ["out: f32[6, 300]"],
    "returns": "tensor",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "source": '''\
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.cumsum(x.flip(1), 1).flip(1)


def get_inputs():
    return [torch.randn(6, 300)]
''',
}


@triton.jit
def combine_add(arg0_0, arg1_0):
    add = arg0_0 + arg1_0
    return add


# covers: aten.flip, aten.cumsum
@triton.jit
def flip_cumsum(x_ptr, buf0_ptr, XBLOCK: tl.constexpr):
    R0_BLOCK: tl.constexpr = 512
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < 6
    r0_index = tl.arange(0, R0_BLOCK)[None, :]
    r0_mask = r0_index < 300
    x = tl.load(x_ptr + (299 + -1 * r0_index + 300 * xindex), r0_mask & xmask, eviction_policy='evict_last', other=0.0)
    cast = x.to(tl.float32)
    broadcast_to = tl.broadcast_to(cast, [XBLOCK, R0_BLOCK])
    value, = tl.associative_scan((broadcast_to,), 1, combine_add)
    tl.store(buf0_ptr + (299 - r0_index + 300 * xindex), value, r0_mask & xmask)

flip_cumsum_meta = {"XBLOCK": 4, "num_warps": 8}


def forward(x: "f32[6, 300]"):
    out = torch.empty_strided((6, 300), (300, 1), device=x.device, dtype=torch.float32)
    flip_cumsum[triton.cdiv(6, flip_cumsum_meta['XBLOCK']),](x, out, **flip_cumsum_meta)
    return out
