import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def project(x_ptr, w_ptr, b_ptr, y_ptr, M, N: tl.constexpr, K: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, K)
    x = tl.load(x_ptr + rm[:, None] * K + rk[None, :], mask=rm[:, None] < M, other=0.0)
    w = tl.load(w_ptr + rk[:, None] * N + rn[None, :], mask=rn[None, :] < N, other=0.0)
    y = tl.dot(x, w, input_precision="ieee") + tl.load(b_ptr + rn, mask=rn < N, other=0.0)[None, :]
    tl.store(y_ptr + rm[:, None] * N + rn[None, :], y, mask=(rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def attend(p_ptr, y_ptr, scale, T, D: tl.constexpr, BM: tl.constexpr, BT: tl.constexpr):
    sample = tl.program_id(1)
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rt = tl.arange(0, BT)
    rd = tl.arange(0, D)
    base = p_ptr + sample * T * 3 * D
    q = tl.load(base + rm[:, None] * 3 * D + rd[None, :], mask=rm[:, None] < T, other=0.0)
    k = tl.load(base + D + rt[None, :] * 3 * D + rd[:, None], mask=rt[None, :] < T, other=0.0)
    v = tl.load(base + 2 * D + rt[:, None] * 3 * D + rd[None, :], mask=rt[:, None] < T, other=0.0)
    s = tl.where(rt[None, :] < T, tl.dot(q, k, input_precision="ieee") * scale, -float("inf"))
    p = tl.exp(s - tl.max(s, axis=1)[:, None])
    y = tl.dot(p, v, input_precision="ieee") / tl.sum(p, axis=1)[:, None]
    tl.store(y_ptr + (sample * T + rm[:, None]) * D + rd[None, :], y, mask=rm[:, None] < T)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.joined = None

    def projections(self):
        """One matrix and one bias of all three; the tensors are held, so that no other takes their addresses."""
        held = (
            self.query.weight, self.key.weight, self.value.weight, self.query.bias, self.key.bias, self.value.bias
        )
        key = [(one.data_ptr(), one._version) for one in held]
        joined = self.joined
        if joined is None or joined[0] != key:
            plain = [one.detach() for one in held]
            weight = torch.cat(plain[:3]).t().contiguous()
            joined = (key, plain, weight, torch.cat(plain[3:]))
            self.joined = joined
        return joined[2], joined[3]

    def forward(self, x):
        batch, time, width = x.shape
        weight, bias = self.projections()
        m, n = batch * time, 3 * width
        mixed = torch.empty((m, n), dtype=x.dtype, device=x.device)
        project[(triton.cdiv(m, 16), triton.cdiv(n, 32))](x, weight, bias, mixed, m, n, width, 16, 32)
        y = torch.empty_like(x)
        grid = (triton.cdiv(time, 16), batch)
        attend[grid](mixed, y, width**-0.5, time, width, 16, triton.next_power_of_2(time))
        return y
