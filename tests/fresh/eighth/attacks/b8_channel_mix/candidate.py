import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def mix(x, w, y, inputs, outputs, plane, P: tl.constexpr, O: tl.constexpr):
    image = tl.program_id(1)
    p = tl.program_id(0) * P + tl.arange(0, P)
    o = tl.arange(0, O)
    acc = tl.zeros((O, P), tl.float32)
    for c in range(inputs):
        row = tl.load(x + (image * inputs + c) * plane + p, mask=p < plane, other=0.0)
        col = tl.load(w + c * O + o)
        acc += col[:, None] * row[None, :]
    acc = tl.minimum(tl.maximum(acc, 0.0), 6.0)
    at = (image * outputs + o[:, None]) * plane + p[None, :]
    tl.store(y + at, acc, mask=(o < outputs)[:, None] & (p < plane)[None, :])


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, 1, bias=False)
        self._packs = {}

    def pack(self):
        w = self.conv.weight.detach().double()
        key = (w.device, float(w.sum()), float(w.square().sum()))
        if key not in self._packs:
            outputs, inputs = w.shape[:2]
            pack = torch.zeros(inputs, triton.next_power_of_2(outputs), device=w.device)
            pack[:, :outputs] = w.reshape(outputs, inputs).t()
            self._packs = {key: pack}
        return self._packs[key]

    def forward(self, x):
        b, c, h, width = x.shape
        pack = self.pack()
        outputs = self.conv.out_channels
        y = torch.empty((b, outputs, h, width), device=x.device, dtype=x.dtype)
        mix[(triton.cdiv(h * width, 16), b)](x, pack, y, c, outputs, h * width, P=16, O=pack.shape[1])
        return y
