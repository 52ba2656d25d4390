# kernelwright module 1
# name: channel_norm
# level: triton  digest: 48004123e473
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[2, 20, 40]", "weight: f32[20]"],
    "state": [],
    "outputs": ["out: f32[2, 20, 40]"],
    "returns": "tensor",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "source": '''\
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, weight):
        scale = torch.rsqrt((x * x).mean(dim=1, keepdim=True) + 1e-5)
        return x * scale * weight[None, :, None]


def get_inputs():
    return [torch.randn(2, 20, 40), torch.randn(20)]
''',
}


@triton.jit
def channel_norm(x_ptr, weight_ptr, y_ptr, channels, pixels, BLOCK: tl.constexpr, LANES: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    index = tl.program_id(0) * LANES + tl.arange(0, LANES)
    offsets = ((tl.program_id(1) * channels + lanes) * pixels)[:, None] + index
    mask = lanes < channels
    mask_1 = mask[:, None] & (index < 40)
    x = tl.load(x_ptr + offsets, mask=mask_1, other=0.0)
    weight = tl.load(weight_ptr + lanes, mask=mask, other=0.0)
    product = x * tl.rsqrt(tl.sum(x * x, axis=0) / channels + 1e-05) * weight[:, None]
    converted = product.to(y_ptr.dtype.element_ty)
    tl.store(y_ptr + offsets, converted, mask=mask_1)

channel_norm_meta = {"BLOCK": 32, "LANES": 32}


def forward(x: "f32[2, 20, 40]", weight: "f32[20]"):
    buf0 = torch.empty_strided((2, 20, 40), (800, 40, 1), device=x.device, dtype=torch.float32)
    channel_norm[triton.cdiv(40, channel_norm_meta['LANES']), 2](x, weight, buf0, 20, 40, **channel_norm_meta)
    return buf0
