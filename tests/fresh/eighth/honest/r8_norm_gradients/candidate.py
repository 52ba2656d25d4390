import torch
import torch.nn as nn
import triton
import triton.language as tl


ROWS = 8  # of one program


@triton.jit
def rows_backward(x_ptr, dy_ptr, w_ptr, dx_ptr, part_w_ptr, part_b_ptr, M, N, PER: tl.constexpr, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    ok = c < N
    w = tl.load(w_ptr + c, mask=ok, other=0.0)
    dw = tl.zeros((BLOCK,), dtype=tl.float32)
    db = tl.zeros((BLOCK,), dtype=tl.float32)
    for i in range(PER):
        row = pid * PER + i
        live = ok & (row < M)
        x = tl.load(x_ptr + row * N + c, mask=live, other=0.0)
        dy = tl.load(dy_ptr + row * N + c, mask=live, other=0.0)
        mean = tl.sum(x, axis=0) / N
        off = tl.where(live, x - mean, 0.0)
        by = 1.0 / tl.sqrt(tl.sum(off * off, axis=0) / N + 1e-3)
        near = off * by
        g = dy * w
        a = tl.sum(g, axis=0) / N
        b = tl.sum(g * near, axis=0) / N
        tl.store(dx_ptr + row * N + c, by * (g - a - near * b), mask=live)
        dw += dy * near
        db += dy
    tl.store(part_w_ptr + pid * N + c, dw, mask=ok)
    tl.store(part_b_ptr + pid * N + c, db, mask=ok)


@triton.jit
def join(part_w_ptr, part_b_ptr, dw_ptr, db_ptr, P, N, BP: tl.constexpr, BLOCK: tl.constexpr):
    c = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    p = tl.arange(0, BP)
    ok = (p[:, None] < P) & (c[None, :] < N)
    place = p[:, None] * N + c[None, :]
    tl.store(dw_ptr + c, tl.sum(tl.load(part_w_ptr + place, mask=ok, other=0.0), axis=0), mask=c < N)
    tl.store(db_ptr + c, tl.sum(tl.load(part_b_ptr + place, mask=ok, other=0.0), axis=0), mask=c < N)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width))

    def forward(self, x, dy):
        m, n = x.shape
        parts = triton.cdiv(m, ROWS)
        dx = torch.empty_like(x)
        part_w = torch.empty((parts, n), device=x.device, dtype=torch.float32)
        part_b = torch.empty((parts, n), device=x.device, dtype=torch.float32)
        dw = torch.empty((n,), device=x.device, dtype=x.dtype)
        db = torch.empty((n,), device=x.device, dtype=x.dtype)
        rows_backward[(parts,)](x, dy, self.weight, dx, part_w, part_b, m, n, ROWS, triton.next_power_of_2(n))
        join[(triton.cdiv(n, 16),)](part_w, part_b, dw, db, parts, n, triton.next_power_of_2(parts), 16)
        return dx, dw, db
