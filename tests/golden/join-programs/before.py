# kernelwright module 1
# name: channel_norm
# level: triton  digest: 2215d67bb735
import math

import torch
import torch.nn as nn
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
def channel_norm(x_ptr, weight_ptr, y_ptr, channels, pixels, BLOCK: tl.constexpr):
    pixel, image = tl.program_id(0), tl.program_id(1)
    channel = tl.arange(0, BLOCK)
    inside = channel < channels
    at = (image * channels + channel) * pixels + pixel
    x = tl.load(x_ptr + at, mask=inside, other=0.0)
    weight = tl.load(weight_ptr + channel, mask=inside, other=0.0)
    scale = tl.rsqrt(tl.sum(x * x, axis=0) / channels + 1e-5)
    tl.store(y_ptr + at, (x * scale * weight).to(y_ptr.dtype.element_ty), mask=inside)


class ModelNew(nn.Module):
    def forward(self, x, weight):
        images, channels, pixels = x.shape
        y = torch.empty_like(x)
        channel_norm[(pixels, images)](x, weight, y, channels, pixels, BLOCK=triton.next_power_of_2(channels))
        return y
