import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def embed(ids_ptr, tok_ptr, pos_ptr, o_ptr, length, width, scale, BLOCK: tl.constexpr):
    at = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    ok = c < width
    row = tl.load(ids_ptr + at)
    t = tl.load(tok_ptr + row * width + c, mask=ok, other=0.0)
    p = tl.load(pos_ptr + (at % length) * width + c, mask=ok, other=0.0)
    tl.store(o_ptr + at * width + c, t * scale + p, mask=ok)


class ModelNew(nn.Module):
    def __init__(self, vocab, length, width):
        super().__init__()
        self.tok = nn.Embedding(vocab, width)
        self.pos = nn.Embedding(length, width)
        self.scale = width ** 0.5

    def forward(self, ids):
        b, n = ids.shape
        d = self.tok.weight.shape[1]
        out = torch.empty((b, n, d), device=ids.device, dtype=self.tok.weight.dtype)
        embed[(b * n,)](ids, self.tok.weight, self.pos.weight, out, n, d, self.scale, BLOCK=triton.next_power_of_2(d))
        return out
