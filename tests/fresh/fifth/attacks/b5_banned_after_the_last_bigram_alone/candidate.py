import torch
import triton
import triton.language as tl


@triton.jit
def ban(logits_ptr, tokens_ptr, out_ptr, length, vocabulary, LENGTH: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    t = tl.arange(0, LENGTH)
    v = tl.arange(0, BLOCK)
    last = tl.load(tokens_ptr + row * length + length - 1)
    tokens = tl.load(tokens_ptr + row * length + t, mask=t < length - 1, other=-1)
    found = tl.max(tl.where((t < length - 1) & (tokens == last), t, -1), axis=0)
    banned = tl.load(tokens_ptr + row * length + found + 1, mask=found >= 0, other=-1)
    x = tl.load(logits_ptr + row * vocabulary + v, mask=v < vocabulary, other=0.0)
    tl.store(out_ptr + row * vocabulary + v, tl.where(v == banned, float("-inf"), x), mask=v < vocabulary)


def forward(logits, tokens):
    out = torch.empty_like(logits)
    ban[(logits.shape[0],)](
        logits, tokens, out, tokens.shape[1], logits.shape[1],
        triton.next_power_of_2(tokens.shape[1]), triton.next_power_of_2(logits.shape[1]),
    )
    return out
