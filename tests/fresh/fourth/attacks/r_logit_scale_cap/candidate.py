import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def similarity(a_ptr, b_ptr, scale_ptr, out_ptr, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    at = row * WIDTH + tl.arange(0, WIDTH)
    a = tl.load(a_ptr + at)
    b = tl.load(b_ptr + at)
    a = a / tl.sqrt(tl.sum(a * a, axis=0))
    b = b / tl.sqrt(tl.sum(b * b, axis=0))
    scale = tl.minimum(tl.load(scale_ptr), 80.0)
    tl.store(out_ptr + row, scale * tl.sum(a * b, axis=0))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.logit_scale = nn.Parameter(torch.tensor(1.0))

    def forward(self, image, text):
        out = torch.empty((image.shape[0],), device=image.device, dtype=image.dtype)
        similarity[(image.shape[0],)](image, text, self.logit_scale, out, image.shape[1])
        return out
