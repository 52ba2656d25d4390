# kernelwright module 1
# name: shifted
# level: triton  digest: 2af6daee6471
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[12, 50]", "by: f32[50]", "weight: f32[50]"],
    "state": [],
    "outputs": ["out0: f32[12, 50]", "out1: f32[12]", "out2: f32[12, 50]"],
    "returns": "tuple",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "source": '''\
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, by, weight):
        shifted = x * by + 1.5
        most = shifted.amax(1)
        return (shifted - most[:, None]) * weight, most, shifted


def get_inputs():
    return [torch.randn(12, 50), torch.randn(50), torch.randn(50)]
''',
}


@triton.jit
def shift_columns_share_rows(shifted_ptr, weight_ptr, y_ptr, most_ptr, cols, x_ptr, by_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0)
    first = offsets * cols
    lanes = tl.arange(0, BLOCK)
    offsets_1 = first + lanes
    mask = lanes < cols
    x = tl.load(x_ptr + offsets_1, mask=mask, other=0.0)
    by = tl.load(by_ptr + offsets_1 % cols, mask=mask)
    converted = (x * by + 1.5).to(tl.float32)
    tl.store(shifted_ptr + offsets_1, converted, mask=mask)
    chosen = tl.where(mask, converted, -float("inf"))
    largest = tl.max(chosen, axis=0)
    weight = tl.load(weight_ptr + lanes, mask=mask)
    tl.store(y_ptr + first + lanes, (chosen - largest) * weight, mask=mask)
    tl.store(most_ptr + offsets, largest)

shift_columns_share_rows_meta = {"BLOCK": 64}


def forward(x: "f32[12, 50]", by: "f32[50]", weight: "f32[50]"):
    buf0 = torch.empty_strided((12, 50), (50, 1), device=x.device, dtype=torch.float32)
    buf1 = torch.empty_strided((12, 50), (50, 1), device=x.device, dtype=torch.float32)
    buf2 = torch.empty_strided((12,), (1,), device=x.device, dtype=torch.float32)
    shift_columns_share_rows[12,](buf0, weight, buf1, buf2, 50, x, by, **shift_columns_share_rows_meta)
    return (buf1, buf2, buf0)
