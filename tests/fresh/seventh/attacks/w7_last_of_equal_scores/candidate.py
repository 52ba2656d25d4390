import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def choose(logits_ptr, penalty_ptr, out_ptr, TOKENS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    token = tl.arange(0, BLOCK)
    real = token < TOKENS
    logit = tl.load(logits_ptr + row * TOKENS + token, mask=real, other=-float("inf"))
    score = logit - tl.load(penalty_ptr + token, mask=real, other=0.0)
    best = tl.max(score, 0)
    chosen = tl.max(tl.where((score == best) & real, token, 0), 0)
    tl.store(out_ptr + row, chosen.to(tl.int64))


class ModelNew(nn.Module):
    def __init__(self, tokens):
        super().__init__()
        self.register_buffer("penalty", 0.0625 * ((torch.arange(tokens) * 7) % tokens))

    def forward(self, logits):
        rows, tokens = logits.shape
        out = torch.empty((rows,), device=logits.device, dtype=torch.int64)
        choose[(rows,)](logits, self.penalty, out, tokens, triton.next_power_of_2(tokens))
        return out
