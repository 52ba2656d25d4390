# reference: kl_div
# way: chain
# faster: the terms of the sum are written out and read again
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def kl_terms(q_ptr, p_ptr, t_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    q = tl.load(q_ptr + i, mask=inside, other=0.0)
    p = tl.load(p_ptr + i, mask=inside, other=0.0)
    tl.store(t_ptr + i, tl.exp(p) * (p - q), mask=inside)


@triton.jit
def sum_rows(t_ptr, out_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    t = tl.load(t_ptr + row * cols + c, mask=c < cols, other=0.0)
    tl.store(out_ptr + row, tl.sum(t, axis=0))


class ModelNew(nn.Module):
    def forward(self, log_q, log_p):
        rows, cols = log_q.shape
        terms = torch.empty_like(log_q)
        kl_terms[(triton.cdiv(rows * cols, 512),)](log_q, log_p, terms, rows * cols, BLOCK=512)
        out = torch.empty((rows,), device=log_q.device, dtype=log_q.dtype)
        sum_rows[(rows,)](terms, out, cols, BLOCK=triton.next_power_of_2(cols))
        return out
