# kernelwright module 1
# name: ff
# level: triton  digest: 5fe56feaaa8b
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[6, 300]"],
    "state": [],
    "outputs": ["out: f32[6, 300]"],
    "returns": "tensor",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "source": '''\
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.cumsum(x.flip(1), 1).flip(1)


def get_inputs():
    return [torch.randn(6, 300)]
''',
}


@triton.jit
def combine_add(arg0_0, arg1_0):
    add = arg0_0 + arg1_0
    return add


# covers: aten.flip, aten.cumsum
@triton.jit
def flip_cumsum_flip(x_ptr, out_ptr, XBLOCK: tl.constexpr):
    rows = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:, None]
    rows_1 = 300 * rows
    columns = tl.arange(0, 512)[None, :]
    mask = (columns < 300) & (rows < 6)
    x = tl.load(x_ptr + (299 + -1 * columns + rows_1), mask=mask, other=0.0, eviction_policy='evict_last')
    scanned = tl.associative_scan((tl.broadcast_to(x.to(tl.float32), [XBLOCK, 512]),), 1, combine_add)
    tl.store(out_ptr + (rows_1 + (299 - columns)), scanned[0].to(tl.float32), mask=mask)

flip_cumsum_flip_meta = {"XBLOCK": 4, "num_warps": 8}


def forward(x: "f32[6, 300]"):
    out = torch.empty_strided((6, 300), (300, 1), device=x.device, dtype=torch.float32)
    flip_cumsum_flip[triton.cdiv(6, flip_cumsum_flip_meta['XBLOCK']),](x, out, **flip_cumsum_flip_meta)
    return out
