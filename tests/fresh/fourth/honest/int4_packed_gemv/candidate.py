import torch
import triton
import triton.language as tl


@triton.jit
def int4_gemv(x_ptr, p_ptr, s_ptr, z_ptr, y_ptr, N, K, GROUPS, SIZE: tl.constexpr, ROWS: tl.constexpr):
    b = tl.program_id(1)
    n = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    ok = n < N
    acc = tl.zeros([ROWS], tl.float32)
    for g in range(0, GROUPS):
        j = g * (SIZE // 2) + tl.arange(0, SIZE // 2)
        packed = tl.load(p_ptr + n[:, None] * (K // 2) + j[None, :], mask=ok[:, None], other=0).to(tl.int32)
        s = tl.load(s_ptr + n * GROUPS + g, mask=ok, other=0.0)
        z = tl.load(z_ptr + n * GROUPS + g, mask=ok, other=0.0)
        even = tl.load(x_ptr + b * K + 2 * j)
        odd = tl.load(x_ptr + b * K + 2 * j + 1)
        low = ((packed & 15).to(tl.float32) - z[:, None]) * s[:, None]
        high = ((packed >> 4).to(tl.float32) - z[:, None]) * s[:, None]
        acc += tl.sum(low * even[None, :] + high * odd[None, :], 1)
    tl.store(y_ptr + b * N + n, acc, mask=ok)


def forward(x, packed, scale, zero):
    B, K = x.shape
    N, G = scale.shape
    y = torch.empty((B, N), device=x.device, dtype=x.dtype)
    int4_gemv[(triton.cdiv(N, 8), B)](x, packed, scale, zero, y, N, K, G, SIZE=K // G, ROWS=8)
    return y
