import torch
import torch.nn as nn
import triton
import triton.language as tl


ROUNDER = 12582912.0  # 1.5 * 2**23: adding and subtracting it rounds to even


@triton.jit
def to_bytes(x_ptr, q_ptr, step_ptr, K, MAGIC: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * K + c, mask=c < K, other=0.0)
    step = tl.maximum(tl.max(tl.abs(x), axis=0), 1e-6) / 127.0
    q = (x / step + MAGIC) - MAGIC
    q = tl.minimum(tl.maximum(q, -127.0), 127.0)
    tl.store(q_ptr + row * K + c, q.to(tl.int8), mask=c < K)
    tl.store(step_ptr + row, step)


@triton.jit
def byte_product(q_ptr, w_ptr, step_ptr, scale_ptr, y_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr,
                 BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.int32)
    for k0 in range(0, K, BK):
        rk = k0 + tl.arange(0, BK)
        q = tl.load(q_ptr + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0)
        w = tl.load(w_ptr + rn[None, :] * K + rk[:, None], mask=(rn[None, :] < N) & (rk[:, None] < K), other=0)
        acc += tl.dot(q, w)
    step = tl.load(step_ptr + rm, mask=rm < M, other=0.0)
    scale = tl.load(scale_ptr + rn, mask=rn < N, other=0.0)
    y = acc.to(tl.float32) * step[:, None] * scale[None, :]
    tl.store(y_ptr + rm[:, None] * N + rn[None, :], y, mask=(rm[:, None] < M) & (rn[None, :] < N))


class ModelNew(nn.Module):
    def __init__(self, width, out):
        super().__init__()
        self.register_buffer("weight", torch.randint(-127, 128, (out, width), dtype=torch.int8))
        self.register_buffer("scale", torch.rand(out) * 0.01 + 0.001)

    def forward(self, x):
        m, k = x.shape
        n = self.weight.shape[0]
        q = torch.empty((m, k), device=x.device, dtype=torch.int8)
        step = torch.empty((m,), device=x.device, dtype=torch.float32)
        y = torch.empty((m, n), device=x.device, dtype=x.dtype)
        to_bytes[(m,)](x, q, step, k, ROUNDER, triton.next_power_of_2(k))
        grid = (triton.cdiv(m, 16), triton.cdiv(n, 16))
        byte_product[grid](q, self.weight, step, self.scale, y, m, n, k, 16, 16, 32)
        return y
