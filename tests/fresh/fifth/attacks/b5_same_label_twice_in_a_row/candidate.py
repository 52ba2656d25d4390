import torch
import triton
import triton.language as tl


@triton.jit
def ctc(
    logits_ptr, targets_ptr, out_ptr, steps, samples, classes, labels,
    CLASSES: tl.constexpr, STATES: tl.constexpr,
):
    sample = tl.program_id(0)
    c = tl.arange(0, CLASSES)
    s = tl.arange(0, STATES)
    is_label = (s % 2 == 1) & (s < 2 * labels)
    label = tl.load(targets_ptr + sample * labels + s // 2, mask=is_label, other=0)
    alive = s < 2 * labels + 1
    low = -1.0e30
    alpha = tl.where(s == 0, 0.0, low)
    for t in range(steps):
        row = logits_ptr + (t * samples + sample) * classes
        x = tl.load(row + c, mask=c < classes, other=float("-inf"))
        best = tl.max(x, axis=0)
        whole = best + tl.log(tl.sum(tl.exp(x - best), axis=0))
        emit = tl.load(row + label, mask=alive, other=0.0) - whole
        one = tl.max(tl.where(s[:, None] == s[None, :] + 1, alpha[None, :], low), axis=1)
        two = tl.max(tl.where(s[:, None] == s[None, :] + 2, alpha[None, :], low), axis=1)
        two = tl.where(is_label, two, low)
        top = tl.maximum(alpha, tl.maximum(one, two))
        total = top + tl.log(tl.exp(alpha - top) + tl.exp(one - top) + tl.exp(two - top))
        # the first step may only begin at the first blank or the first label
        first = tl.where(s < 2, 0.0, low)
        alpha = tl.where(alive, tl.where(t == 0, first, total) + emit, low)
    last = tl.where((s == 2 * labels) | (s == 2 * labels - 1), alpha, low)
    top = tl.max(last, axis=0)
    tl.store(out_ptr + sample, -(top + tl.log(tl.sum(tl.exp(last - top), axis=0))))


def forward(logits, targets):
    steps, samples, classes = logits.shape
    labels = targets.shape[1]
    out = torch.empty((samples,), dtype=logits.dtype, device=logits.device)
    ctc[(samples,)](
        logits, targets, out, steps, samples, classes, labels,
        triton.next_power_of_2(classes), triton.next_power_of_2(2 * labels + 1),
    )
    return out
