# kernelwright module 1
# name: group_norm_mean
# level: triton  digest: 63b5c6800390
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[2, 6, 5, 8]"],
    "state": ["norm.weight -> norm_weight: f32[6]", "norm.bias -> norm_bias: f32[6]"],
    "outputs": ["out: f32[2, 6]"],
    "returns": "tensor",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "numerics": "torch",
    "source": '''\
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.GroupNorm(2, 6)

    def forward(self, x):
        return self.norm(torch.nn.functional.silu(x)).mean(dim=(2, 3))


def get_inputs():
    return [torch.randn(2, 6, 5, 8)]


def get_init_inputs():
    return []
''',
}


# covers: aten.silu, aten.var_mean
@triton.jit
def silu_var_mean(x_ptr, buf1_ptr, buf2_ptr, XBLOCK: tl.constexpr):
    R0_BLOCK: tl.constexpr = 64
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < 12
    r0_index = tl.arange(0, R0_BLOCK)[None, :]
    r0_mask = r0_index < 40
    x = tl.load(x_ptr + (r0_index + 40 * xindex), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
    neg = -x
    exp = tl.exp(neg)
    add = exp + 1.0
    div = x / add
    broadcast_to = tl.broadcast_to(div, [XBLOCK, R0_BLOCK])
    where_0 = tl.where(r0_mask & xmask, broadcast_to, 0)
    sum_0 = tl.sum(where_0, 1)[:, None].to(tl.float32)
    div_1 = sum_0 / 40.0
    sub = div - div_1
    mul = sub * sub
    broadcast_to_1 = tl.broadcast_to(mul, [XBLOCK, R0_BLOCK])
    where_1 = tl.where(r0_mask & xmask, broadcast_to_1, 0)
    sum_1 = tl.sum(where_1, 1)[:, None].to(tl.float32)
    tl.store(buf1_ptr + xindex, div_1, xmask)
    tl.store(buf2_ptr + xindex, sum_1, xmask)

silu_var_mean_meta = {"XBLOCK": 1, "num_warps": 2}


# covers: aten.silu, aten.var_mean, aten.reshape, aten.mean, aten.sub, aten.mul, aten.add, aten.native_group_norm
@triton.jit
def silu_var_mean_reshape_mean(buf2_ptr, buf1_ptr, norm_weight_ptr, norm_bias_ptr, buf5_ptr, XBLOCK: tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < 12
    x4 = xindex // 3
    x5 = xindex % 6
    buf2 = tl.load(buf2_ptr + 3 * x4, xmask, eviction_policy='evict_last')
    buf1 = tl.load(buf1_ptr + 3 * x4, xmask, eviction_policy='evict_last')
    buf1_1 = tl.load(buf1_ptr + (1 + 3 * x4), xmask, eviction_policy='evict_last')
    buf1_2 = tl.load(buf1_ptr + (2 + 3 * x4), xmask, eviction_policy='evict_last')
    buf2_1 = tl.load(buf2_ptr + (1 + 3 * x4), xmask, eviction_policy='evict_last')
    buf2_2 = tl.load(buf2_ptr + (2 + 3 * x4), xmask, eviction_policy='evict_last')
    norm_weight = tl.load(norm_weight_ptr + x5, xmask, eviction_policy='evict_last')
    norm_bias = tl.load(norm_bias_ptr + x5, xmask, eviction_policy='evict_last')
    buf1_3 = tl.load(buf1_ptr + xindex, xmask)
    div = buf2 / 40.0
    add = buf1 + buf1_1
    add_1 = add + buf1_2
    div_1 = add_1 / 3.0
    sub = buf1 - div_1
    mul = sub * sub
    add_2 = div + mul
    div_2 = buf2_1 / 40.0
    sub_1 = buf1_1 - div_1
    mul_1 = sub_1 * sub_1
    add_3 = div_2 + mul_1
    add_4 = add_2 + add_3
    div_3 = buf2_2 / 40.0
    sub_2 = buf1_2 - div_1
    mul_2 = sub_2 * sub_2
    add_5 = div_3 + mul_2
    add_6 = add_4 + add_5
    div_4 = add_6 / 3.0
    add_7 = div_4 + 1e-05
    rsqrt = tl.rsqrt(add_7)
    mul_3 = rsqrt * norm_weight
    neg = -div_1
    mul_4 = neg * mul_3
    add_8 = mul_4 + norm_bias
    mul_5 = buf1_3 * mul_3
    add_9 = mul_5 + add_8
    tl.store(buf5_ptr + xindex, add_9, xmask)

silu_var_mean_reshape_mean_meta = {"XBLOCK": 16, "num_warps": 1}


def forward(x: "f32[2, 6, 5, 8]", norm_weight: "f32[6]", norm_bias: "f32[6]"):
    buf1 = torch.empty_strided((2, 6, 1, 1), (6, 1, 12, 12), device=x.device, dtype=torch.float32)
    buf2 = torch.empty_strided((2, 6, 1, 1), (6, 1, 12, 12), device=x.device, dtype=torch.float32)
    silu_var_mean[triton.cdiv(12, silu_var_mean_meta['XBLOCK']),](x, buf1, buf2, **silu_var_mean_meta)
    buf5 = torch.empty_strided((2, 6, 1, 1), (6, 1, 12, 12), device=x.device, dtype=torch.float32)
    silu_var_mean_reshape_mean[triton.cdiv(12, silu_var_mean_reshape_mean_meta['XBLOCK']),](buf2, buf1, norm_weight, norm_bias, buf5, **silu_var_mean_reshape_mean_meta)
    return torch.as_strided(buf5, (2, 6), (6, 1))
