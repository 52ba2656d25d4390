import torch
import torch.nn as nn
import triton
import triton.language as tl


import functools


@triton.jit
def distances(x_ptr, c_ptr, y_ptr, M, N, K, TILES, PROGRAMS, BM: tl.constexpr, BN: tl.constexpr):
    across = tl.cdiv(N, BN)
    for tile in range(tl.program_id(0), TILES, PROGRAMS):
        rm = (tile // across) * BM + tl.arange(0, BM)
        rn = (tile % across) * BN + tl.arange(0, BN)
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(K):
            x = tl.load(x_ptr + rm * K + k, mask=rm < M, other=0.0)
            c = tl.load(c_ptr + rn * K + k, mask=rn < N, other=0.0)
            off = x[:, None] - c[None, :]
            acc += off * off
        tl.store(y_ptr + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


@functools.lru_cache(maxsize=None)
def programs_on(device, tiles):
    if not torch.cuda.is_available():
        return min(tiles, 5)
    return min(tiles, torch.cuda.get_device_properties(device).multi_processor_count)


class ModelNew(nn.Module):
    def __init__(self, centres, width):
        super().__init__()
        self.centres = nn.Parameter(torch.randn(centres, width))

    def forward(self, x):
        m, k = x.shape
        n = self.centres.shape[0]
        tiles = triton.cdiv(m, 16) * triton.cdiv(n, 16)
        programs = programs_on(x.device, tiles)
        y = torch.empty((m, n), dtype=x.dtype, device=x.device)
        distances[(programs,)](x, self.centres, y, m, n, k, tiles, programs, 16, 16)
        return y
