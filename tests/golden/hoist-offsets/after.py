# kernelwright module 1
# name: program
# level: triton  digest: c104b6acac02
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["a: f32[2, 3, 41]"],
    "state": [],
    "outputs": ["out: f32[2, 3, 33]"],
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

    def forward(self, a):
        return F.max_pool1d(a, 5, stride=1, padding=2, dilation=3)

def get_inputs():
    return [torch.randn((2, 3, 41), dtype=torch.float32)]
''',
}


@triton.jit
def maximum(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


# covers: aten.unsqueeze, aten.max_pool2d_with_indices
@triton.jit
def unsqueeze_max_pool2d_with_indices(a_ptr, buf0_ptr, XBLOCK: tl.constexpr):
    offsets = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)
    index = offsets % 33
    a_pointers = a_ptr + (index + 41 * (offsets // 33))
    filled = tl.zeros([1], tl.int64)
    mask = (filled >= filled) & (filled < tl.full([1], 1, tl.int64))
    converted = (-2 + index).to(tl.int32)
    filled_1 = tl.full([1], 41, tl.int64)
    mask_1 = offsets < 198
    mask_2 = mask & ((converted >= filled) & (converted < filled_1)) & mask_1
    a = tl.load(a_pointers - 2, mask=mask_2, other=-float("inf"))
    converted_1 = (1 + index).to(tl.int32)
    mask_3 = mask & ((converted_1 >= filled) & (converted_1 < filled_1)) & mask_1
    a_1 = tl.load(a_pointers + 1, mask=mask_3, other=-float("inf"))
    converted_2 = (4 + index).to(tl.int32)
    mask_4 = mask & ((converted_2 >= filled) & (converted_2 < filled_1)) & mask_1
    a_2 = tl.load(a_pointers + 4, mask=mask_4, other=-float("inf"))
    converted_3 = (7 + index).to(tl.int32)
    mask_5 = mask & ((converted_3 >= filled) & (converted_3 < filled_1)) & mask_1
    a_3 = tl.load(a_pointers + 7, mask=mask_5, other=-float("inf"))
    result = maximum(maximum(maximum(a, a_1), a_2), a_3)
    converted_4 = (10 + index).to(tl.int32)
    mask_6 = mask & ((converted_4 >= filled) & (converted_4 < filled_1)) & mask_1
    a_4 = tl.load(a_pointers + 10, mask=mask_6, other=-float("inf"))
    tl.store(buf0_ptr + offsets, maximum(result, a_4), mask=mask_1)

unsqueeze_max_pool2d_with_indices_meta = {"XBLOCK": 256, "num_warps": 4}


def forward(a: "f32[2, 3, 41]"):
    buf0 = torch.empty_strided((2, 3, 1, 33), (99, 33, 33, 1), device=a.device, dtype=torch.float32)
    unsqueeze_max_pool2d_with_indices[triton.cdiv(198, unsqueeze_max_pool2d_with_indices_meta['XBLOCK']),](a, buf0, **unsqueeze_max_pool2d_with_indices_meta)
    return torch.as_strided(buf0, (2, 3, 33), (99, 33, 1))
