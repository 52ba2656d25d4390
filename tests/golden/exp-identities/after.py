# kernelwright module 1
# name: program
# level: triton  digest: 8679f60e5864
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
    offsets = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)
    mask = offsets < 707
    a = tl.load(a_ptr + offsets, mask=mask)
    exponential = tl.exp(a)
    product = exponential * (exponential + 2.0)
    b = tl.load(b_ptr + offsets, mask=mask)
    exponential_1 = tl.exp(-tl.abs(b))
    quotient = exponential_1 / (1.0 + 0.5 * exponential_1)
    product_1 = quotient * quotient
    total = 0.012506727303349454 + product_1 * (0.002187640904658091 + product_1 * 0.000547109252236009)
    total_1 = quotient + quotient * (product_1 * (0.08333302035313174 + product_1 * total))
    product_2 = a * tl.where(a > 20.0, 1.0, product / (product + 2.0)) * tl.where(b > 20.0, b, tl.maximum(b, 0.0) + total_1)
    product_3 = (b + b * b * b * 0.044715) * 0.7978845608028654
    total_2 = product_2 + b * 0.5 * (2.0 / (1.0 + tl.exp(-2.0 * product_3)))
    tl.store(out_ptr + offsets, total_2, mask=mask)

mish_softplus_mul_gelu_meta = {"XBLOCK": 256, "num_warps": 4}


def forward(a: "f32[7, 101]", b: "f32[7, 101]"):
    out = torch.empty_strided((7, 101), (101, 1), device=a.device, dtype=torch.float32)
    mish_softplus_mul_gelu[triton.cdiv(707, mish_softplus_mul_gelu_meta['XBLOCK']),](a, b, out, **mish_softplus_mul_gelu_meta)
    return out
