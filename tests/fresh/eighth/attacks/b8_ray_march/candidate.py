import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def march(density, colour, step, out, rest, samples):
    ray = tl.program_id(0)
    c = tl.arange(0, 4)
    acc = tl.zeros((4,), tl.float32)
    light = tl.full((), 1.0, tl.float32)
    for k in range(samples):
        if light > 1e-3:
            at = ray * samples + k
            keep = tl.exp(-tl.maximum(tl.load(density + at), 0.0) * tl.load(step + at))
            rgb = tl.load(colour + at * 3 + c, mask=c < 3, other=0.0)
            acc += light * (1.0 - keep) * rgb
            light = light * keep
    tl.store(out + ray * 3 + c, acc, mask=c < 3)
    tl.store(rest + ray, light)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, density, colour, step):
        rays, samples = density.shape
        out = torch.empty((rays, 3), device=density.device, dtype=density.dtype)
        rest = torch.empty((rays,), device=density.device, dtype=density.dtype)
        march[(rays,)](density, colour, step, out, rest, samples)
        return out, rest
