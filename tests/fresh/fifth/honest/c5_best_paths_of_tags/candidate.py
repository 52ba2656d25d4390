import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def at_least(a, b):
    return tl.where((a > b) | (a != a), a, b)


@triton.jit
def viterbi(e_ptr, t_ptr, out_ptr, steps, TAGS: tl.constexpr):
    sentence = tl.program_id(0)
    tag = tl.arange(0, TAGS)
    e_ptr += sentence * steps * TAGS
    backward = tl.load(t_ptr + tag[None, :] * TAGS + tag[:, None])
    forward = tl.load(t_ptr + tag[:, None] * TAGS + tag[None, :])
    score = tl.load(e_ptr + tag)
    for step in range(1, steps, 2):
        down = tl.reduce(score[:, None] + forward, 0, at_least) + tl.load(e_ptr + step * TAGS + tag)
        score = down
        if step + 1 < steps:
            score = tl.reduce(down[None, :] + backward, 1, at_least) + tl.load(e_ptr + (step + 1) * TAGS + tag)
    tl.store(out_ptr + sentence, tl.reduce(score, 0, at_least))


class ModelNew(nn.Module):
    def __init__(self, tags):
        super().__init__()
        self.transitions = nn.Parameter(torch.randn(tags, tags))

    def forward(self, emissions):
        sentences, steps, tags = emissions.shape
        out = torch.empty(sentences, device=emissions.device, dtype=emissions.dtype)
        viterbi[(sentences,)](emissions, self.transitions, out, steps, TAGS=tags)
        return out
