# kernelwright module 1
# name: squash
# level: triton  digest: d0ef51a7a072
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["x: f32[10, 300]"],
    "state": [],
    "outputs": ["out: f32[10, 300]"],
    "returns": "tensor",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "source": '''\
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        e = torch.exp(x - x.amax(1, keepdim=True))
        return e / (1 + e.sum(1, keepdim=True))


def get_inputs():
    return [torch.randn(10, 300)]
''',
}


@triton.jit
def squash_rows(source, target, rows, width):
    for start in range(tl.program_id(0), rows, tl.num_programs(0)):
        first = start * width
        lanes = tl.arange(0, 512)
        mask = lanes < width
        loaded = tl.load(source + first + lanes, mask=mask, other=-float("inf"))
        number = -float("inf")
        larger = tl.maximum(number, tl.max(loaded, axis=0))
        total = tl.zeros([512], tl.float32) + tl.where(mask, tl.exp(tl.where(mask, loaded, 0.0) - larger), 0.0)
        quotient = tl.exp(loaded - larger) / (1.0 + tl.sum(total, axis=0))
        tl.store(target + first + lanes, quotient, mask=mask)

squash_rows_meta = {"num_warps": 1}


def forward(x: "f32[10, 300]"):
    buf0 = torch.empty_strided((10, 300), (300, 1), device=x.device, dtype=torch.float32)
    squash_rows[(4,)](x, buf0, 10, 300, **squash_rows_meta)
    return buf0
