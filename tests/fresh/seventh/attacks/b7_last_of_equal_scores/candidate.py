import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def decide(x, w, b, label, score, features, classes, C: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, C)
    acc = tl.load(b + c, mask=c < classes, other=0.0)
    for f in range(features):
        acc += tl.load(x + row * features + f) * tl.load(w + c * features + f, mask=c < classes, other=0.0)
    acc = tl.where(acc > 6.0, 6.0, acc)
    acc = tl.where(acc < -6.0, -6.0, acc)
    acc = tl.where(c < classes, acc, float("-inf"))
    top = tl.max(acc, 0)
    tl.store(score + row, top)
    tl.store(label + row, tl.max(tl.where(acc == top, c, -1), 0).to(tl.int64))


class ModelNew(nn.Module):
    def __init__(self, features, classes):
        super().__init__()
        self.head = nn.Linear(features, classes)

    def forward(self, x):
        n, features = x.shape
        classes = self.head.weight.shape[0]
        label = torch.empty((n,), device=x.device, dtype=torch.int64)
        score = torch.empty((n,), device=x.device, dtype=torch.float32)
        decide[(n,)](x, self.head.weight, self.head.bias, label, score, features, classes,
                     C=triton.next_power_of_2(classes))
        return label, score
