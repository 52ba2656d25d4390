# reference: cross_entropy
# way: extra-pass
# faster: the maximum and the sum each read the row of logits
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def cross_entropy_loops(logits, target, loss, classes, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    logits += row * classes
    label = tl.load(target + row)
    top = tl.full((BLOCK,), float("-inf"), tl.float32)
    for start in range(0, classes, BLOCK):
        c = start + tl.arange(0, BLOCK)
        top = tl.maximum(top, tl.load(logits + c, mask=c < classes, other=float("-inf")))
    peak = tl.max(top, 0)
    acc = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, classes, BLOCK):
        c = start + tl.arange(0, BLOCK)
        acc += tl.exp(tl.load(logits + c, mask=c < classes, other=float("-inf")) - peak)
    counted = label != -100
    picked = tl.load(logits + label, mask=counted, other=0.0)
    tl.store(loss + row, tl.where(counted, tl.log(tl.sum(acc, 0)) + peak - picked, 0.0))


class ModelNew(nn.Module):
    def forward(self, logits, target):
        rows, classes = logits.shape
        loss = torch.empty(rows, device=logits.device, dtype=torch.float32)
        cross_entropy_loops[(rows,)](logits, target, loss, classes, BLOCK=64)
        return loss
