# reference: matmul
# dialect: refused
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def mm_kernel(A, B, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        rk = k + tl.arange(0, BK)
        a = tl.load(A + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0)
        b = tl.load(B + rk[:, None] * N + rn[None, :], mask=(rk[:, None] < K) & (rn[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc, input_precision="ieee")
    tl.store(C + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


def choose(M, N, K):
    """Block sizes for a problem; a search in a larger version of this file."""
    side = 16 if min(M, N) < 64 else 32
    return {"BM": side, "BN": side, "BK": 16 if K < 64 else 32}


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self._configs = {}  # (M, N, K) -> block sizes; no results are kept

    def forward(self, a, b):
        M, K = a.shape
        N = b.shape[1]
        key = (M, N, K)
        if key not in self._configs:
            self._configs[key] = choose(M, N, K)
        config = self._configs[key]
        c = torch.empty((M, N), device=a.device, dtype=a.dtype)
        mm_kernel[(triton.cdiv(M, config["BM"]), triton.cdiv(N, config["BN"]))](a, b, c, M, N, K, **config)
        return c
