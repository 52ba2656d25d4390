# kernelwright module 1
# name: column_sum
# target: h200
# level: tuned  digest: 217fe362087d
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[512, 4096]"],
    "state": [],
    "outputs": ["out: f32[4096]"],
    "returns": "tensor",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "source": '''\
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        pass

    def forward(self, x):
        return x.sum(0)

def get_inputs():
    return [torch.randn(512, 4096)]

def get_init_inputs():
    return []
''',
}


# covers: aten.sum
@triton.jit
def column_sum(x_ptr, out_ptr, columns, rows, XBLOCK: tl.constexpr, R0_BLOCK: tl.constexpr):
    x = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:, None]
    total = tl.full([XBLOCK, R0_BLOCK], 0.0, tl.float32)
    for offset in tl.range(0, rows, R0_BLOCK):
        r = offset + tl.arange(0, R0_BLOCK)[None, :]
        total += tl.load(x_ptr + x + columns * r, mask=(x < columns) & (r < rows), other=0.0)
    tl.store(out_ptr + x, tl.sum(total, 1)[:, None], mask=x < columns)

column_sum_meta = {"XBLOCK": 8, "R0_BLOCK": 512, "num_warps": 16}


def forward(x: "f32[512, 4096]"):
    out = torch.empty_strided((4096,), (1,), device=x.device, dtype=torch.float32)
    column_sum[(triton.cdiv(4096, column_sum_meta["XBLOCK"]),)](x, out, 4096, 512, **column_sum_meta)
    return out
