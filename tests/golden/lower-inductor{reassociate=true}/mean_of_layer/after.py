# kernelwright module 1
# name: mean_of_layer
# level: triton  digest: a7c59982a480
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[10, 12]"],
    "state": ["layer.weight -> layer_weight: f32[40, 12]", "layer.bias -> layer_bias: f32[40]"],
    "outputs": ["out: f32[10, 12]"],
    "returns": "tensor",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "numerics": "torch",
    "source": '''\
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(12, 40)

    def forward(self, x):
        return x + (self.layer(x) - 0.5).mean(dim=1, keepdim=True)


def get_inputs():
    return [torch.randn(10, 12)]


def get_init_inputs():
    return []
''',
}


# covers: aten.t, aten.mean
@triton.jit
def t_mean(layer_weight_ptr, buf0_ptr, XBLOCK: tl.constexpr):
    R0_BLOCK: tl.constexpr = 64
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < 12
    r0_index = tl.arange(0, R0_BLOCK)[None, :]
    r0_mask = r0_index < 40
    layer_weight = tl.load(layer_weight_ptr + (xindex + 12 * r0_index), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
    broadcast_to = tl.broadcast_to(layer_weight, [XBLOCK, R0_BLOCK])
    where_0 = tl.where(r0_mask & xmask, broadcast_to, 0)
    sum_0 = tl.sum(where_0, 1)[:, None].to(tl.float32)
    tl.store(buf0_ptr + xindex, sum_0, xmask)

t_mean_meta = {"XBLOCK": 8, "num_warps": 4}


# covers: aten.mean
@triton.jit
def mean(layer_bias_ptr, buf2_ptr, XBLOCK: tl.constexpr):
    R0_BLOCK: tl.constexpr = 64
    r0_index = tl.arange(0, R0_BLOCK)[None, :]
    r0_mask = r0_index < 40
    layer_bias = tl.load(layer_bias_ptr + r0_index, r0_mask, eviction_policy='evict_first', other=0.0)
    broadcast_to = tl.broadcast_to(layer_bias, [XBLOCK, R0_BLOCK])
    where_0 = tl.where(r0_mask, broadcast_to, 0)
    sum_0 = tl.sum(where_0, 1)[:, None].to(tl.float32)
    tl.store(buf2_ptr + tl.full([1, 1], 0, tl.int32).broadcast_to(XBLOCK, 1), sum_0)

mean_meta = {"XBLOCK": 1, "num_warps": 2}


# covers: aten.t, aten.mean, aten.reshape, aten.mul, aten.sum, aten.add, aten.sub
@triton.jit
def t_mean_reshape_mul(x_ptr, buf0_ptr, buf2_ptr, out_ptr, XBLOCK: tl.constexpr):
    R0_BLOCK: tl.constexpr = 16
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < 10
    r0_index = tl.arange(0, R0_BLOCK)[None, :]
    r0_mask = r0_index < 12
    x = tl.load(x_ptr + (r0_index + 12 * xindex), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
    buf0 = tl.load(buf0_ptr + r0_index, r0_mask, eviction_policy='evict_last', other=0.0)
    buf2 = tl.load(buf2_ptr + 0)
    broadcast_to = tl.broadcast_to(buf2, [1, 1])
    div = buf0 / 40.0
    mul = x * div
    broadcast_to_1 = tl.broadcast_to(mul, [XBLOCK, R0_BLOCK])
    where_0 = tl.where(r0_mask & xmask, broadcast_to_1, 0)
    sum_0 = tl.sum(where_0, 1)[:, None].to(tl.float32)
    div_1 = broadcast_to / 40.0
    add = sum_0 + div_1
    sub = add - 0.5
    add_1 = x + sub
    tl.store(out_ptr + (r0_index + 12 * xindex), add_1, r0_mask & xmask)

t_mean_reshape_mul_meta = {"XBLOCK": 1, "num_warps": 2}


def forward(x: "f32[10, 12]", layer_weight: "f32[40, 12]", layer_bias: "f32[40]"):
    buf0 = torch.empty_strided((12, 1), (1, 12), device=x.device, dtype=torch.float32)
    t_mean[triton.cdiv(12, t_mean_meta['XBLOCK']),](layer_weight, buf0, **t_mean_meta)
    buf2 = torch.empty_strided((1,), (1,), device=x.device, dtype=torch.float32)
    mean[triton.cdiv(1, mean_meta['XBLOCK']),](layer_bias, buf2, **mean_meta)
    out = torch.empty_strided((10, 12), (12, 1), device=x.device, dtype=torch.float32)
    t_mean_reshape_mul[triton.cdiv(10, t_mean_reshape_mul_meta['XBLOCK']),](x, buf0, buf2, out, **t_mean_reshape_mul_meta)
    return out
