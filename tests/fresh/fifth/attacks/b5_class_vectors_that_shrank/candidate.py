import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def cosines(x_ptr, weight_ptr, out_ptr, width, classes, WIDTH: tl.constexpr, CLASSES: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, CLASSES)
    k = tl.arange(0, WIDTH)
    x = tl.load(x_ptr + row * width + k, mask=k < width, other=0.0)
    both = (c[:, None] < classes) & (k[None, :] < width)
    w = tl.load(weight_ptr + c[:, None] * width + k[None, :], mask=both, other=0.0)
    x = x / tl.maximum(tl.sqrt(tl.sum(x * x, axis=0)), 1e-12)
    w = w * tl.rsqrt(tl.sum(w * w, axis=1) + 1e-12)[:, None]
    tl.store(out_ptr + row * classes + c, 16.0 * tl.sum(w * x[None, :], axis=1), mask=c < classes)


class ModelNew(nn.Module):
    def __init__(self, width, classes):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(classes, width) * 0.3)

    def forward(self, x):
        classes, width = self.weight.shape
        out = torch.empty((x.shape[0], classes), dtype=x.dtype, device=x.device)
        cosines[(x.shape[0],)](
            x, self.weight, out, width, classes, triton.next_power_of_2(width), triton.next_power_of_2(classes)
        )
        return out
