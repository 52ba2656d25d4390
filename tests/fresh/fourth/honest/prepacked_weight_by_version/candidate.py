import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def pack(w_ptr, t_ptr, N, K, BLOCK: tl.constexpr):
    k = tl.program_id(0)
    n = tl.arange(0, BLOCK)
    tl.store(t_ptr + k * N + n, tl.load(w_ptr + n * K + k, mask=n < N), mask=n < N)


@triton.jit
def row_times(x_ptr, t_ptr, y_ptr, N, K, BLOCK: tl.constexpr):
    m = tl.program_id(0)
    n = tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], tl.float32)
    for k in range(K):
        acc += tl.load(x_ptr + m * K + k) * tl.load(t_ptr + k * N + n, mask=n < N, other=0.0)
    tl.store(y_ptr + m * N + n, acc, mask=n < N)


class ModelNew(nn.Module):
    def __init__(self, k, n):
        super().__init__()
        self.fc = nn.Linear(k, n, bias=False)
        self._cache = None

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_cache"] = None  # copies and pickles pack for themselves
        return state

    def packed(self):
        w = self.fc.weight
        if self._cache is not None:
            owner, kept, version, t = self._cache
            if owner is w and kept.data_ptr() == w.data_ptr() and version == w._version:
                return t
        N, K = w.shape
        t = torch.empty((K, N), device=w.device, dtype=w.dtype)
        pack[(K,)](w, t, N, K, BLOCK=triton.next_power_of_2(N))
        # the detached alias keeps the memory alive, so that no other weight can come to lie there
        self._cache = (w, w.detach(), w._version, t)
        return t

    def forward(self, x):
        t = self.packed()
        K, N = t.shape
        y = torch.empty((x.shape[0], N), device=x.device, dtype=x.dtype)
        row_times[(x.shape[0],)](x, t, y, N, K, BLOCK=triton.next_power_of_2(N))
        return y
