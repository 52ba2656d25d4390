# reference: sum_max
# dialect: refused
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def pieces_kernel(x_ptr, work_ptr, M, N, PIECES, BLOCK: tl.constexpr):
    row, piece = tl.program_id(0), tl.program_id(1)
    c = piece * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * N + c, mask=c < N, other=0.0)
    tl.store(work_ptr + row * PIECES + piece, tl.sum(x, axis=0))
    top = tl.max(tl.where(c < N, x, -float("inf")), axis=0)
    tl.store(work_ptr + (M + row) * PIECES + piece, top)


@triton.jit
def finish_kernel(work_ptr, sum_ptr, max_ptr, M, PIECES, P: tl.constexpr):
    row = tl.program_id(0)
    p = tl.arange(0, P)
    s = tl.load(work_ptr + row * PIECES + p, mask=p < PIECES, other=0.0)
    m = tl.load(work_ptr + (M + row) * PIECES + p, mask=p < PIECES, other=-float("inf"))
    tl.store(sum_ptr + row, tl.sum(s, axis=0))
    tl.store(max_ptr + row, tl.max(m, axis=0))


class ModelNew(nn.Module):
    """Keeps its scratch memory in a buffer, which is right as long as calls come one after another."""

    def __init__(self):
        super().__init__()
        self.register_buffer("workspace", torch.zeros(4096), persistent=False)

    def forward(self, x):
        M, N = x.shape
        pieces = triton.cdiv(N, 32)
        assert 2 * M * pieces <= self.workspace.numel(), "the workspace is too small"
        sums = torch.empty(M, device=x.device, dtype=x.dtype)
        tops = torch.empty(M, device=x.device, dtype=x.dtype)
        pieces_kernel[(M, pieces)](x, self.workspace, M, N, pieces, BLOCK=32)
        finish_kernel[(M,)](self.workspace, sums, tops, M, pieces, P=triton.next_power_of_2(pieces))
        return sums, tops
