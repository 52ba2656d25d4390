# kernelwright module 1
# name: softmax
# level: triton  digest: 6c7d524eb5e1
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[16, 100]"],
    "state": [],
    "outputs": ["out: f32[16, 100]"],
    "returns": "tensor",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "source": '''\
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=-1)


def get_inputs():
    return [torch.randn(16, 100)]


def get_init_inputs():
    return []
''',
}


@triton.jit
def maximum(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def reduce_max(value, dim):
    return tl.reduce(value, dim, maximum)


# covers: aten._softmax
@triton.jit
def softmax(x_ptr, out_ptr, XBLOCK: tl.constexpr):
    R0_BLOCK: tl.constexpr = 128
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < 16
    r0_index = tl.arange(0, R0_BLOCK)[None, :]
    r0_mask = r0_index < 100
    x = tl.load(x_ptr + (r0_index + 100 * xindex), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
    broadcast_to = tl.broadcast_to(x, [XBLOCK, R0_BLOCK])
    where_0 = tl.where(r0_mask & xmask, broadcast_to, float('-inf'))
    reduce_max_1 = reduce_max(where_0, 1)[:, None].to(tl.float32)
    sub = x - reduce_max_1
    exp = tl.exp(sub)
    broadcast_to_1 = tl.broadcast_to(exp, [XBLOCK, R0_BLOCK])
    where_1 = tl.where(r0_mask & xmask, broadcast_to_1, 0)
    sum_0 = tl.sum(where_1, 1)[:, None].to(tl.float32)
    div = exp / sum_0
    tl.store(out_ptr + (r0_index + 100 * xindex), div, r0_mask & xmask)

softmax_meta = {"XBLOCK": 1, "num_warps": 2}


def forward(x: "f32[16, 100]"):
    out = torch.empty_strided((16, 100), (100, 1), device=x.device, dtype=torch.float32)
    softmax[triton.cdiv(16, softmax_meta['XBLOCK']),](x, out, **softmax_meta)
    return out
