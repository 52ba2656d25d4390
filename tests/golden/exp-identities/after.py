# kernelwright module 1
# name: program
# level: triton  digest: 88a85f67c10e
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
    both = exp * (exp + 2.0)
    tanh_1 = tl.where(test, 1.0, both / (both + 2.0))
    mul = a * tanh_1
    test_1 = b > 20.0
    decay = tl.exp(-tl.abs(b))
    term = decay / (1.0 + 0.5 * decay)
    square = term * term
    log1p_2 = tl.maximum(b, 0.0) + (term + term * (square * (0.08333302035313174 + square * (0.012506727303349454 + square * (0.002187640904658091 + square * 0.000547109252236009)))))
    where_1 = tl.where(test_1, b, log1p_2)
    mul_1 = mul * where_1
    mul_2 = b * 0.5
    mul_3 = b * b
    mul_4 = mul_3 * b
    mul_5 = mul_4 * 0.044715
    add = b + mul_5
    mul_6 = add * 0.7978845608028654
    add_1 = 2.0 / (1.0 + tl.exp(-2.0 * mul_6))
    mul_7 = mul_2 * add_1
    add_2 = mul_1 + mul_7
    tl.store(out_ptr + xindex, add_2, xmask)

mish_softplus_mul_gelu_meta = {"XBLOCK": 256, "num_warps": 4}


def forward(a: "f32[7, 101]", b: "f32[7, 101]"):
    out = torch.empty_strided((7, 101), (101, 1), device=a.device, dtype=torch.float32)
    mish_softplus_mul_gelu[triton.cdiv(707, mish_softplus_mul_gelu_meta['XBLOCK']),](a, b, out, **mish_softplus_mul_gelu_meta)
    return out
