# kernelwright module 1
# name: program
# level: triton  digest: c23537888f4f
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["a: f32[7, 101]", "b: f32[7, 101]"],
    "state": [],
    "outputs": ["out: f32[7, 101]"],
    "returns": "tensor",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "source": '''\
import torch
import torch.nn as nn
import torch.nn.functional as F

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        pass
        self.to(torch.float32)

    def forward(self, a, b):
        return F.mish(a) * F.softplus(b) + F.gelu(b, approximate='tanh')

def get_inputs():
    return [torch.randn((7, 101), dtype=torch.float32), torch.randn((7, 101), dtype=torch.float32)]
''',
}


@triton.jit
def log1p(x):
    # Goldberg's correction: exact to rounding because log(u) * x / (u - 1) cancels the error in u = 1 + x.
    u = 1.0 + x
    safe = tl.where((u == 1.0) | (u == float("inf")), 1.0, u - 1.0)
    corrected = tl.log(u) * (x / safe)
    return tl.where(u == 1.0, x, tl.where(u == float("inf"), u, corrected))


@triton.jit
def tanh(x):
    # Through exp(-2|x|), which never overflows; a series near zero, where the quotient would cancel.
    decay = tl.exp(-2.0 * tl.abs(x))
    far = (1.0 - decay) / (1.0 + decay)
    square = x * x
    near = tl.abs(x) * (
        1.0 + square * (-0.3333333333333333 + square * (0.13333333333333333 - 0.053968253968253971 * square))
    )
    size = tl.where(tl.abs(x) < 0.1, near, far)
    return tl.where(x < 0, -size, size)


# covers: aten.mish, aten.softplus, aten.mul, aten.gelu, aten.add
@triton.jit
def mish_softplus_mul_gelu(a_ptr, b_ptr, out_ptr, XBLOCK: tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < 707
    a = tl.load(a_ptr + xindex, xmask)
    b = tl.load(b_ptr + xindex, xmask)
    test = a > 20.0
    exp = tl.exp(a)
    log1p_1 = log1p(exp)
    where_0 = tl.where(test, a, log1p_1)
    tanh_1 = tanh(where_0)
    mul = a * tanh_1
    test_1 = b > 20.0
    exp_1 = tl.exp(b)
    log1p_2 = log1p(exp_1)
    where_1 = tl.where(test_1, b, log1p_2)
    mul_1 = mul * where_1
    mul_2 = b * 0.5
    mul_3 = b * b
    mul_4 = mul_3 * b
    mul_5 = mul_4 * 0.044715
    add = b + mul_5
    mul_6 = add * 0.7978845608028654
    tanh_2 = tanh(mul_6)
    add_1 = tanh_2 + 1.0
    mul_7 = mul_2 * add_1
    add_2 = mul_1 + mul_7
    tl.store(out_ptr + xindex, add_2, xmask)

mish_softplus_mul_gelu_meta = {"XBLOCK": 256, "num_warps": 4}


def forward(a: "f32[7, 101]", b: "f32[7, 101]"):
    out = torch.empty_strided((7, 101), (101, 1), device=a.device, dtype=torch.float32)
    mish_softplus_mul_gelu[triton.cdiv(707, mish_softplus_mul_gelu_meta['XBLOCK']),](a, b, out, **mish_softplus_mul_gelu_meta)
    return out
