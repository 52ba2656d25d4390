import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def embed(ids, word, place, g, b, out, T, C, B: tl.constexpr):
    tok = tl.program_id(0)
    t = tok % T
    c = tl.arange(0, B)
    keep = c < C
    i = tl.load(ids + tok)
    e = tl.load(word + i * C + c, mask=keep, other=0.0) + tl.load(place + t * C + c, mask=keep, other=0.0)
    mean = tl.sum(e, 0) / C
    d = tl.where(keep, e - mean, 0.0)
    e = d * tl.rsqrt(tl.sum(d * d, 0) / C + 1e-5)
    e = e * tl.load(g + c, mask=keep, other=0.0) + tl.load(b + c, mask=keep, other=0.0)
    tl.store(out + tok * C + c, e, mask=keep)


class ModelNew(nn.Module):
    def __init__(self, words, places, c):
        super().__init__()
        self.word = nn.Embedding(words, c)
        self.place = nn.Embedding(places, c)
        self.ln = nn.LayerNorm(c)

    def forward(self, ids):
        n, T = ids.shape
        C = self.word.weight.shape[1]
        out = torch.empty((n, T, C), device=ids.device, dtype=torch.float32)
        embed[(n * T,)](ids, self.word.weight, self.place.weight, self.ln.weight, self.ln.bias, out, T, C,
                        B=triton.next_power_of_2(C))
        return out
