import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def count_bytes(image_ptr, counts_ptr, per_image, BLOCK: tl.constexpr):
    which = tl.program_id(1)
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < per_image
    value = tl.load(image_ptr + which * per_image + at, mask=mask, other=0).to(tl.int32)
    tl.atomic_add(counts_ptr + which * 256 + value, tl.full((BLOCK,), 1, tl.int64), mask=mask)


class ModelNew(nn.Module):
    def forward(self, image):
        image = image.contiguous()
        n = image.shape[0]
        per_image = image.numel() // n
        counts = torch.zeros((n, 256), dtype=torch.int64, device=image.device)
        count_bytes[(triton.cdiv(per_image, 128), n)](image, counts, per_image, BLOCK=128)
        return counts
