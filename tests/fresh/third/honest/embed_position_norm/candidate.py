import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def embed(ids_ptr, tok_ptr, pos_ptr, w_ptr, b_ptr, y_ptr, T, N, eps, BLOCK: tl.constexpr):
    i = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    mask = c < N
    token = tl.load(ids_ptr + i)
    x = tl.load(tok_ptr + token * N + c, mask=mask, other=0.0)
    x += tl.load(pos_ptr + (i % T) * N + c, mask=mask, other=0.0)
    mean = tl.sum(x, 0) / N
    d = tl.where(mask, x - mean, 0.0)
    rstd = 1.0 / tl.sqrt(tl.sum(d * d, 0) / N + eps)
    w = tl.load(w_ptr + c, mask=mask, other=0.0)
    b = tl.load(b_ptr + c, mask=mask, other=0.0)
    tl.store(y_ptr + i * N + c, d * rstd * w + b, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, vocab, length, width):
        super().__init__()
        self.tokens = nn.Embedding(vocab, width)
        self.positions = nn.Embedding(length, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, ids):
        ids = ids.contiguous()
        b, t = ids.shape
        n = self.norm.weight.shape[0]
        y = torch.empty((b, t, n), device=ids.device, dtype=self.tokens.weight.dtype)
        embed[(b * t,)](
            ids, self.tokens.weight, self.positions.weight, self.norm.weight, self.norm.bias, y, t, n,
            self.norm.eps, BLOCK=triton.next_power_of_2(n),
        )
        return y
