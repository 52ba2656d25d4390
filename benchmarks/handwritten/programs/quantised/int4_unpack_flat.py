# reference: int4_unpack
# way: index-math
# faster: row, group and byte are found anew by divisions for each of a byte's two halves
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def unpack_kernel(packed_ptr, scale_ptr, out_ptr, total, width, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < total
    row = i // width
    col = i % width
    byte = tl.load(packed_ptr + row * (width // 2) + col // 2, mask=mask, other=0).to(tl.int32)
    nibble = (byte >> ((col % 2) * 4)) & 0xF
    scale = tl.load(scale_ptr + row * (width // GROUP) + col // GROUP, mask=mask, other=0.0)
    tl.store(out_ptr + i, (nibble.to(tl.float32) - 8.0) * scale, mask=mask)


class ModelNew(nn.Module):
    def forward(self, packed, scale):
        rows, half = packed.shape
        out = torch.empty((rows, 2 * half), device=packed.device, dtype=scale.dtype)
        unpack_kernel[(triton.cdiv(out.numel(), 256),)](
            packed, scale, out, out.numel(), 2 * half, GROUP=32, BLOCK=256
        )
        return out
