# kernelwright module 1
# name: mm
# level: triton  digest: 0ebe1c43d65d
import torch
import triton
import triton.language as tl

aten = torch.ops.aten

REFERENCE = {
    "entry": "Model",
    "inputs": ["a: f32[40, 18]", "b: f32[18, 40]"],
    "state": [],
    "outputs": ["out: f32[40, 40]"],
    "returns": "tensor",
    "tolerance": {"kind": "gold", "factor": 16.0, "rtol": 0.01, "atol": 0.01},
    "shrunken": False,
    "source": '''\
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return torch.tril(a @ b)


def get_inputs():
    return [torch.randn(40, 18), torch.randn(18, 40)]
''',
}


# covers: aten.tril
@triton.jit
def tril(buf0_ptr, out_ptr, XBLOCK: tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < 1600
    x0 = xindex % 40
    x1 = xindex // 40
    buf0 = tl.load(buf0_ptr + xindex, xmask)
    add = (x0 + -1 * x1).to(tl.int64)
    cast = add.to(tl.int64)
    full_0 = tl.full([1], 0, tl.int64)
    test = cast <= full_0
    full_1 = tl.full([1], 0.0, tl.float32)
    where_0 = tl.where(test, buf0, full_1)
    tl.store(out_ptr + xindex, where_0, xmask)

tril_meta = {"XBLOCK": 2048, "num_warps": 8}


# covers: aten.mm
@triton.jit
def matmul(a_ptr, b_ptr, out_ptr, MBLOCK: tl.constexpr, NBLOCK: tl.constexpr, KBLOCK: tl.constexpr, GROUP: tl.constexpr):
    rows: tl.constexpr = (40 + MBLOCK - 1) // MBLOCK
    columns: tl.constexpr = (40 + NBLOCK - 1) // NBLOCK
    tile = tl.program_id(0)
    first_row = tile // (GROUP * columns) * GROUP
    together = tl.minimum(rows - first_row, GROUP)
    row = first_row + tile % (GROUP * columns) % together
    column = tile % (GROUP * columns) // together
    m = row * MBLOCK + tl.arange(0, MBLOCK)[:, None]
    n = column * NBLOCK + tl.arange(0, NBLOCK)[None, :]
    a_at = a_ptr + (18 * m)
    b_at = b_ptr + (n)
    acc = tl.zeros([MBLOCK, NBLOCK], tl.float32)
    stop = tl.where(column * NBLOCK < (row + 1) * MBLOCK, 18, 0)
    for first in range(0, stop, KBLOCK):
        k = first + tl.arange(0, KBLOCK)
        a = tl.load(a_at + k[None, :], (m < 40) & (k[None, :] < 18), other=0.0)
        b = tl.load(b_at + 40 * k[:, None], (k[:, None] < 18) & (n < 40), other=0.0)
        acc = tl.dot(a, b, acc, input_precision="tf32x3")
    inside = (m < 40) & (n < 40)
    tl.store(out_ptr + (40 * m + n), acc, inside)

matmul_meta = {"MBLOCK": 64, "NBLOCK": 64, "KBLOCK": 32, "GROUP": 8, "num_warps": 2, "num_stages": 3}


def forward(a: "f32[40, 18]", b: "f32[18, 40]"):
    buf0 = torch.empty_strided((40, 40), (40, 1), device=a.device, dtype=torch.float32)
    matmul[triton.cdiv(40, matmul_meta['MBLOCK']) * triton.cdiv(40, matmul_meta['NBLOCK']),](a, b, buf0, **matmul_meta)
    out = torch.empty_strided((40, 40), (40, 1), device=a.device, dtype=torch.float32)
    tril[triton.cdiv(1600, tril_meta['XBLOCK']),](buf0, out, **tril_meta)
    return out
