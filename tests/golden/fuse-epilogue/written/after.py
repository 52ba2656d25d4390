# kernelwright module 1
# name: module
# level: triton  digest: c2918b5184b9
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[12, 30]", "y: f32[30]"],
    "state": [],
    "outputs": ["out: f32[12, 30]"],
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

    def forward(self, x, y):
        return F.gelu(x / torch.sqrt((x * x).mean(1, keepdim=True) + 1e-6) * y + x)

def get_inputs():
    return [torch.randn(12, 30), torch.randn(30)]
''',
}


@triton.jit
def rms_rows_add_flat_gelu_flat(X, W, stride, N, eps, dst, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    offsets = 30 * pid + lanes
    mask = lanes < N
    x = tl.load(X + pid * stride + lanes, mask=mask, other=0.0)
    w = tl.load(W + lanes, mask=mask, other=0.0)
    x_1 = tl.load(X + offsets, mask=mask)
    converted = x.to(tl.float32)
    product = converted * (1 / tl.sqrt(tl.sum(converted * converted, axis=0) / N + eps))
    converted_1 = (x_1 + (product * w).to(tl.float32).to(tl.float32)).to(tl.float32)
    product_1 = 0.5 * converted_1 * (1.0 + tl.erf(converted_1 * 0.7071067811865476))
    tl.store(dst + offsets, product_1, mask=mask)

rms_rows_add_flat_gelu_flat_meta = {"BLOCK": 32}


def forward(x: "f32[12, 30]", y: "f32[30]"):
    buf2 = torch.empty_strided((12, 30), (30, 1), device=x.device, dtype=torch.float32)
    rms_rows_add_flat_gelu_flat[12,](x, y, 30, 30, 1e-06, buf2, **rms_rows_add_flat_gelu_flat_meta)
    return buf2
