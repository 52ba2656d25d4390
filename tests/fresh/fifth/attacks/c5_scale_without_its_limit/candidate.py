import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def similarities(a_ptr, b_ptr, scale_ptr, out_ptr, others, width, OTHERS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    other = tl.arange(0, OTHERS)
    a = tl.load(a_ptr + row * width + col, mask=col < width, other=0.0)
    size = tl.sqrt(tl.sum(a * a, axis=0))
    a = a / tl.where(size < 1e-6, 1e-6, size)
    inside = (other[:, None] < others) & (col[None, :] < width)
    b = tl.load(b_ptr + other[:, None] * width + col[None, :], mask=inside, other=0.0)
    sizes = tl.sqrt(tl.sum(b * b, axis=1))
    b = b / tl.where(sizes < 1e-6, 1e-6, sizes)[:, None]
    out = tl.exp(tl.load(scale_ptr)) * tl.sum(a[None, :] * b, axis=1)
    tl.store(out_ptr + row * others + other, out, mask=other < others)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.logit_scale = nn.Parameter(torch.tensor(2.6592))

    def forward(self, image, text):
        image, text = image.contiguous(), text.contiguous()
        rows, width = image.shape
        others = text.shape[0]
        out = torch.empty(rows, others, device=image.device, dtype=image.dtype)
        similarities[(rows,)](image, text, self.logit_scale, out, others, width, OTHERS=triton.next_power_of_2(others),
                              BLOCK=triton.next_power_of_2(width))
        return out
