import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def ln_kernel(x_ptr, w_ptr, b_ptr, y_ptr, m_ptr, v_ptr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * N + c, mask=c < N, other=0.0)
    mean = tl.sum(x, axis=0) / N
    d = tl.where(c < N, x - mean, 0.0)
    var = tl.sum(d * d, axis=0) / N
    w = tl.load(w_ptr + c, mask=c < N, other=0.0)
    b = tl.load(b_ptr + c, mask=c < N, other=0.0)
    tl.store(y_ptr + row * N + c, d / tl.sqrt(var + 1e-5) * w + b, mask=c < N)
    tl.store(m_ptr + row, mean)
    tl.store(v_ptr + row, var)


class ModelNew(nn.Module):
    def forward(self, x, w, b):
        x, w, b = x.contiguous(), w.contiguous(), b.contiguous()
        rows, N = x.shape
        y = torch.empty_like(x)
        mean = torch.empty((rows,), device=x.device, dtype=x.dtype)
        var = torch.empty((rows,), device=x.device, dtype=x.dtype)
        ln_kernel[(rows,)](x, w, b, y, mean, var, N, BLOCK=triton.next_power_of_2(N))
        return y, mean, var
