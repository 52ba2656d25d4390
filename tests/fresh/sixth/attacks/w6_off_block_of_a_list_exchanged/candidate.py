import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def linear(x_ptr, w_ptr, b_ptr, out_ptr, relu, IN: tl.constexpr, OUT: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, IN)
    o = tl.arange(0, OUT)
    x = tl.load(x_ptr + row * IN + i)
    w = tl.load(w_ptr + o[:, None] * IN + i[None, :])
    y = tl.sum(w * x[None, :], axis=1) + tl.load(b_ptr + o)
    tl.store(out_ptr + row * OUT + o, tl.where(relu != 0, tl.maximum(y, 0.0), y))


def apply_linear(x, layer, relu):
    out = torch.empty((x.shape[0], layer.out_features), dtype=x.dtype, device=x.device)
    linear[(x.shape[0],)](x, layer.weight, layer.bias, out, int(relu), layer.in_features, layer.out_features)
    return out


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Linear(16, 16) for _ in range(3)])
        self.steps = tuple(self.blocks)

    def forward(self, x):
        for block in self.steps:
            x = apply_linear(x, block, True)
        return x
