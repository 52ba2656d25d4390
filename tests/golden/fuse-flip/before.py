# kernelwright module 1
# name: ff
# level: triton  digest: dd1eca2f5e3a
# record: {"pass_spec": "lower-inductor", "parent": "dde68f7c8fcca2f6b7d92d0e3da7bfcf1c0d53cb09c1df56b7a34e199abd41ae", "seconds": 3.651, "seed": 0}
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
    tl.store(buf0_ptr + (r0_index + 300 * xindex), value, r0_mask & xmask)

flip_cumsum_meta = {"XBLOCK": 4, "num_warps": 8}


# covers: aten.flip
@triton.jit
def flip(buf0_ptr, out_ptr, XBLOCK: tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < 1800
    x0 = xindex % 300
    x1 = xindex // 300
    buf0 = tl.load(buf0_ptr + (299 + -1 * x0 + 300 * x1), xmask, eviction_policy='evict_last')
    tl.store(out_ptr + xindex, buf0, xmask)

flip_meta = {"XBLOCK": 2048, "num_warps": 8}


def forward(x: "f32[6, 300]"):
    buf0 = torch.empty_strided((6, 300), (300, 1), device=x.device, dtype=torch.float32)
    flip_cumsum[triton.cdiv(6, flip_cumsum_meta['XBLOCK']),](x, buf0, **flip_cumsum_meta)
    out = torch.empty_strided((6, 300), (300, 1), device=x.device, dtype=torch.float32)
    flip[triton.cdiv(1800, flip_meta['XBLOCK']),](buf0, out, **flip_meta)
    return out
