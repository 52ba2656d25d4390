import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def pack(x_ptr, byte_ptr, exponent_ptr, BLOCK: tl.constexpr):
    block = tl.program_id(0)
    place = block * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + place)
    most = tl.max(tl.abs(x), axis=0)
    exponent = tl.where(most > 0, tl.floor(tl.log2(tl.where(most > 0, most, 1.0))), 0.0)
    # in two steps, as powers of two are in range then
    half = tl.floor((6.0 - exponent) * 0.5)
    scaled = x * tl.exp2(half) * tl.exp2(6.0 - exponent - half)
    whole = (scaled + 12582912.0) - 12582912.0  # to even
    whole = tl.minimum(tl.maximum(whole, -127.0), 127.0)
    tl.store(byte_ptr + place, whole.to(tl.int8))
    tl.store(exponent_ptr + block, exponent.to(tl.int32))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        rows, width = x.shape
        packed = torch.empty((rows, width), dtype=torch.int8, device=x.device)
        exponent = torch.empty((rows, width // 32), dtype=torch.int32, device=x.device)
        pack[(rows * (width // 32),)](x, packed, exponent, 32)
        return packed, exponent
