import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def count_bytes(image, counts, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(image + i, mask=i < n, other=0).to(tl.int32)
    tl.atomic_add(counts + v, 1, mask=i < n)


class ModelNew(nn.Module):
    def forward(self, image):
        counts = torch.zeros((256,), device=image.device, dtype=torch.int64)
        n = image.numel()
        count_bytes[(triton.cdiv(n, 128),)](image, counts, n, B=128)
        return counts
