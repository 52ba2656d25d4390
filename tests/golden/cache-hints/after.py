# kernelwright module 1
# name: scale_columns
# level: triton  digest: 1c5161b86ffc
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[64, 100]", "scale: f32[100]"],
    "state": [],
    "outputs": ["out: f32[64, 100]"],
    "returns": "tensor",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "source": '''\
import torch


class Model(torch.nn.Module):
    def forward(self, x, scale):
        return x * scale


def get_inputs():
    return [torch.randn(64, 100), torch.randn(100)]


def get_init_inputs():
    return []
''',
}


# covers: aten.mul
@triton.jit
def scale_columns(x_ptr, scale_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    first = tl.program_id(0) * columns
    lanes = tl.arange(0, BLOCK)
    mask = lanes < columns
    scale = tl.load(scale_ptr + lanes, mask=mask, eviction_policy='evict_last')
    x = tl.load(x_ptr + first + lanes, mask=mask)
    tl.store(out_ptr + first + lanes, x * scale, mask=mask)

scale_columns_meta = {"BLOCK": 128, "num_warps": 4}


def forward(x: "f32[64, 100]", scale: "f32[100]"):
    out = torch.empty_like(x)
    scale_columns[(64,)](x, scale, out, 100, **scale_columns_meta)
    return out
