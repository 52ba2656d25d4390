# reference: int4_linear
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def int4_linear_kernel(
    x_ptr, p_ptr, s_ptr, y_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        rk = k + tl.arange(0, BK)
        x = tl.load(x_ptr + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0)
        packed = tl.load(
            p_ptr + rn[None, :] * (K // 2) + (rk // 2)[:, None], mask=(rn[None, :] < N) & (rk[:, None] < K), other=0
        )
        shift = (rk % 2) * 4
        nibble = (packed.to(tl.int32) >> shift[:, None]) & 15
        w = nibble.to(tl.float32) - 8.0
        acc += tl.dot(x, w, input_precision="ieee")
    scale = tl.load(s_ptr + rn, mask=rn < N, other=0.0)
    tl.store(y_ptr + rm[:, None] * N + rn[None, :], acc * scale[None, :], mask=(rm[:, None] < M) & (rn[None, :] < N))


class ModelNew(nn.Module):
    def forward(self, x, packed, scale):
        M, K = x.shape
        N = packed.shape[0]
        y = torch.empty((M, N), device=x.device, dtype=x.dtype)
        int4_linear_kernel[(triton.cdiv(M, 16), triton.cdiv(N, 32))](x, packed, scale, y, M, N, K, BM=16, BN=32, BK=32)
        return y
