import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def embed(ids_ptr, tokens_ptr, places_ptr, out_ptr, length, width, root, BLOCK: tl.constexpr):
    sample = tl.program_id(0)
    place = tl.program_id(1)
    col = tl.arange(0, BLOCK)
    inside = col < width
    word = tl.load(ids_ptr + sample * length + place)
    token = tl.load(tokens_ptr + word * width + col, mask=inside, other=0.0).to(tl.float32)
    extra = tl.load(places_ptr + place * width + col, mask=inside, other=0.0).to(tl.float32)
    tl.store(out_ptr + (sample * length + place) * width + col, (token * root + extra).to(tl.bfloat16), mask=inside)


class ModelNew(nn.Module):
    def __init__(self, words, places, width):
        super().__init__()
        self.tokens = nn.Parameter(torch.randn(words, width).bfloat16())
        self.places = nn.Parameter(torch.randn(places, width).bfloat16())

    def forward(self, ids):
        b, length = ids.shape
        width = self.tokens.shape[1]
        out = torch.empty(b, length, width, device=ids.device, dtype=torch.bfloat16)
        embed[(b, length)](ids, self.tokens, self.places, out, length, width, width**0.5, BLOCK=triton.next_power_of_2(width))
        return out
