import torch
import triton
import triton.language as tl


@triton.jit
def order(keys_ptr, out_ptr, W: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, W)
    packed = tl.load(keys_ptr + row * W + col) * W + col
    rank = tl.sum(tl.where(packed[None, :] < packed[:, None], 1, 0), axis=1)
    tl.store(out_ptr + row * W + rank, tl.load(keys_ptr + row * W + col))


def forward(keys):
    out = torch.empty_like(keys)
    order[(keys.shape[0],)](keys, out, keys.shape[1])
    return out
