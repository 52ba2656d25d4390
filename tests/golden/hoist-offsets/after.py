# kernelwright module 1
# name: program
# level: triton  digest: c58a07b05605
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
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < 198
    x0 = xindex % 33
    x1 = xindex // 33
    full_0 = tl.full([1], 0, tl.int64)
    test = full_0 >= full_0
    full_1 = tl.full([1], 1, tl.int64)
    test_1 = full_0 < full_1
    both = test & test_1
    add = (-2 + x0).to(tl.int32)
    test_2 = add >= full_0
    full_2 = tl.full([1], 41, tl.int64)
    test_3 = add < full_2
    both_1 = test_2 & test_3
    both_2 = both & both_1
    a_at = a_ptr + (x0 + 41 * x1)
    a = tl.load(a_at - 2, both_2 & xmask, other=float('-inf'))
    add_1 = (1 + x0).to(tl.int32)
    test_4 = add_1 >= full_0
    test_5 = add_1 < full_2
    both_3 = test_4 & test_5
    both_4 = both & both_3
    a_1 = tl.load(a_at + 1, both_4 & xmask, other=float('-inf'))
    maximum_1 = maximum(a, a_1)
    add_2 = (4 + x0).to(tl.int32)
    test_6 = add_2 >= full_0
    test_7 = add_2 < full_2
    both_5 = test_6 & test_7
    both_6 = both & both_5
    a_2 = tl.load(a_at + 4, both_6 & xmask, other=float('-inf'))
    maximum_2 = maximum(maximum_1, a_2)
    add_3 = (7 + x0).to(tl.int32)
    test_8 = add_3 >= full_0
    test_9 = add_3 < full_2
    both_7 = test_8 & test_9
    both_8 = both & both_7
    a_3 = tl.load(a_at + 7, both_8 & xmask, other=float('-inf'))
    maximum_3 = maximum(maximum_2, a_3)
    add_4 = (10 + x0).to(tl.int32)
    test_10 = add_4 >= full_0
    test_11 = add_4 < full_2
    both_9 = test_10 & test_11
    both_10 = both & both_9
    a_4 = tl.load(a_at + 10, both_10 & xmask, other=float('-inf'))
    maximum_4 = maximum(maximum_3, a_4)
    tl.store(buf0_ptr + xindex, maximum_4, xmask)

unsqueeze_max_pool2d_with_indices_meta = {"XBLOCK": 256, "num_warps": 4}


def forward(a: "f32[2, 3, 41]"):
    buf0 = torch.empty_strided((2, 3, 1, 33), (99, 33, 33, 1), device=a.device, dtype=torch.float32)
    unsqueeze_max_pool2d_with_indices[triton.cdiv(198, unsqueeze_max_pool2d_with_indices_meta['XBLOCK']),](a, buf0, **unsqueeze_max_pool2d_with_indices_meta)
    return torch.as_strided(buf0, (2, 3, 33), (99, 33, 1))
