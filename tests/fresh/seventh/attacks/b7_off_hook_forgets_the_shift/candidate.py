import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def affine(x, scale, shift, y, n, length, channels, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    c = (i // length) % channels
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(y + i, v * tl.load(scale + c, mask=i < n, other=0.0) + tl.load(shift + c, mask=i < n, other=0.0), mask=i < n)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))
        self.register_buffer("mean", torch.zeros(channels))
        self.register_buffer("var", torch.ones(channels))
        self.scale = self.fold()
        self.shift = self.bias.detach() - self.mean * self.scale
        self.register_load_state_dict_post_hook(lambda module, keys: module.refresh())

    def fold(self):
        return (self.gain.detach() / torch.sqrt(self.var + 1e-3)).contiguous()

    def refresh(self):
        self.scale = self.fold()

    def forward(self, x):
        y = torch.empty_like(x)
        n = x.numel()
        affine[(triton.cdiv(n, 128),)](x, self.scale, self.shift, y, n, x.shape[2], x.shape[1], B=128)
        return y
