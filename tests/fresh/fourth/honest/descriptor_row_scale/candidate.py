import torch
import triton
import triton.language as tl


@triton.jit
def row_scale(x_ptr, s_ptr, o_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    o_desc = tl.make_tensor_descriptor(o_ptr, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    m0 = tl.program_id(0) * BM
    n0 = tl.program_id(1) * BN
    m = m0 + tl.arange(0, BM)
    s = tl.load(s_ptr + m, mask=m < M, other=0.0)
    x = x_desc.load([m0, n0])
    o_desc.store([m0, n0], x * s[:, None] + 1.0)


def forward(x, scale):
    M, N = x.shape
    out = torch.empty_like(x)
    triton.set_allocator(lambda size, align, stream: torch.empty(size, device="cuda", dtype=torch.int8))
    row_scale[(triton.cdiv(M, 8), triton.cdiv(N, 16))](x, scale, out, M, N, BM=8, BN=16)
    return out
