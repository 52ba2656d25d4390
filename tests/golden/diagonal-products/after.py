# kernelwright module 1
# name: dg
# level: triton  digest: 6d0b65faf442
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["d: f32[20]", "b: f32[20, 30]"],
    "state": [],
    "outputs": ["out: f32[20, 30]"],
    "returns": "tensor",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "source": '''\
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, d, b):
        return torch.diag(d) @ b


def get_inputs():
    return [torch.randn(20), torch.randn(20, 30)]
''',
}


# covers: aten.diag_embed, aten.mm
@triton.jit
def scale_rows(vector_ptr, matrix_ptr, out_ptr, XBLOCK: tl.constexpr):
    index = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)
    inside = index < 600
    n = index % 30
    m = index // 30
    factor = tl.load(vector_ptr + m, inside)
    value = tl.load(matrix_ptr + (30 * m + n), inside)
    tl.store(out_ptr + (30 * m + n), factor * value, inside)

scale_rows_meta = {"XBLOCK": 1024, "num_warps": 4}


def forward(d: "f32[20]", b: "f32[20, 30]"):
    out = torch.empty_strided((20, 30), (30, 1), device=d.device, dtype=torch.float32)
    scale_rows[triton.cdiv(600, scale_rows_meta['XBLOCK']),](d, b, out, **scale_rows_meta)
    return out
