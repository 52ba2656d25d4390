# kernelwright module 1
# name: linear_gelu
# level: triton  digest: 713b533c2f1a
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[10, 12]"],
    "state": ["linear.weight -> linear_weight: f32[24, 12]", "linear.bias -> linear_bias: f32[24]"],
    "outputs": ["out0: f32[24, 10]@[1, 24]", "out1: f32[24]", "out2: f32[10, 12]"],
    "returns": "tuple",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "source": '''\
import torch


class Model(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = torch.nn.Linear(features, 24)

    def forward(self, x):
        y = torch.nn.functional.gelu(self.linear(x))
        return y.t(), y.sum(0), x


def get_inputs():
    return [torch.randn(10, 12)]


def get_init_inputs():
    return [12]
''',
}


# covers: aten.gelu
@triton.jit
def gelu(buf0_ptr, buf1_ptr, XBLOCK: tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < 240
    buf0 = tl.load(buf0_ptr + xindex, xmask)
    mul = buf0 * 0.5
    mul_1 = buf0 * 0.7071067811865476
    erf = tl.erf(mul_1)
    add = erf + 1.0
    mul_2 = mul * add
    tl.store(buf1_ptr + xindex, mul_2, xmask)

gelu_meta = {"XBLOCK": 256, "num_warps": 4}


# covers: aten.sum
@triton.jit
def sum_kernel(buf1_ptr, out1_ptr, XBLOCK: tl.constexpr):
    R0_BLOCK: tl.constexpr = 16
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < 24
    r0_index = tl.arange(0, R0_BLOCK)[None, :]
    r0_mask = r0_index < 10
    buf1 = tl.load(buf1_ptr + (xindex + 24 * r0_index), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
    broadcast_to = tl.broadcast_to(buf1, [XBLOCK, R0_BLOCK])
    where_0 = tl.where(r0_mask & xmask, broadcast_to, 0)
    sum_0 = tl.sum(where_0, 1)[:, None].to(tl.float32)
    tl.store(out1_ptr + xindex, sum_0, xmask)

sum_kernel_meta = {"XBLOCK": 32, "num_warps": 4}


def forward(x: "f32[10, 12]", linear_weight: "f32[24, 12]", linear_bias: "f32[24]"):
    buf0 = torch.empty_strided((10, 24), (24, 1), device=x.device, dtype=torch.float32)
    aten.addmm.out(linear_bias, x, torch.as_strided(linear_weight, (12, 24), (1, 12)), out=buf0)
    buf1 = torch.empty_strided((10, 24), (24, 1), device=x.device, dtype=torch.float32)
    gelu[triton.cdiv(240, gelu_meta['XBLOCK']),](buf0, buf1, **gelu_meta)
    del buf0
    out1 = torch.empty_strided((24,), (1,), device=x.device, dtype=torch.float32)
    sum_kernel[triton.cdiv(24, sum_kernel_meta['XBLOCK']),](buf1, out1, **sum_kernel_meta)
    return (torch.as_strided(buf1, (24, 10), (1, 24)), out1, x)
