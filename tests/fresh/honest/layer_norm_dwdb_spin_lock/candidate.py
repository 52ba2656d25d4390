import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def partial_dwdb(X, DY, DW, DB, Lock, stride, N, eps, GROUP_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_SIZE_N)
    mask = cols < N
    lock_id = row % GROUP_SIZE_M
    lock = Lock + lock_id
    count = Lock + GROUP_SIZE_M + lock_id
    dw_ptrs = DW + lock_id * N + cols
    db_ptrs = DB + lock_id * N + cols
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0)
    dy = tl.load(DY + row * stride + cols, mask=mask, other=0.0)
    mean = tl.sum(x, axis=0) / N
    xc = tl.where(mask, x - mean, 0.0)
    rstd = 1 / tl.sqrt(tl.sum(xc * xc, axis=0) / N + eps)
    partial_dw = dy * xc * rstd
    partial_db = dy
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    seen = tl.load(count)
    if seen == 0:
        tl.atomic_xchg(count, 1)
    else:
        partial_dw += tl.load(dw_ptrs, mask=mask, other=0.0)
        partial_db += tl.load(db_ptrs, mask=mask, other=0.0)
    tl.store(dw_ptrs, partial_dw, mask=mask)
    tl.store(db_ptrs, partial_db, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def final_dwdb(DW, DB, FW, FB, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    cols = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    dw = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    db = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for i in range(0, M, BLOCK_M):
        rows = i + tl.arange(0, BLOCK_M)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        offs = rows[:, None] * N + cols[None, :]
        dw += tl.load(DW + offs, mask=mask, other=0.0)
        db += tl.load(DB + offs, mask=mask, other=0.0)
    tl.store(FW + cols, tl.sum(dw, axis=0), mask=cols < N)
    tl.store(FB + cols, tl.sum(db, axis=0), mask=cols < N)


class ModelNew(nn.Module):
    def forward(self, x, dy):
        x, dy = x.contiguous(), dy.contiguous()
        M, N = x.shape
        GROUP_SIZE_M = 4
        locks = torch.zeros(2 * GROUP_SIZE_M, dtype=torch.int32, device=x.device)
        _dw = torch.zeros((GROUP_SIZE_M, N), dtype=x.dtype, device=x.device)
        _db = torch.zeros((GROUP_SIZE_M, N), dtype=x.dtype, device=x.device)
        dw = torch.empty((N,), dtype=x.dtype, device=x.device)
        db = torch.empty((N,), dtype=x.dtype, device=x.device)
        partial_dwdb[(M,)](x, dy, _dw, _db, locks, x.stride(0), N, 1e-5, GROUP_SIZE_M=GROUP_SIZE_M, BLOCK_SIZE_N=triton.next_power_of_2(N))
        final_dwdb[(triton.cdiv(N, 32),)](_dw, _db, dw, db, min(GROUP_SIZE_M, M), N, BLOCK_M=4, BLOCK_N=32)
        return dw, db
