import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def crop(x_ptr, corner_ptr, mirror_ptr, mean_ptr, std_ptr, y_ptr, C, H, W, SIZE, BLOCK: tl.constexpr):
    n = tl.program_id(0)
    c = tl.program_id(1)
    i = tl.program_id(2) * BLOCK + tl.arange(0, BLOCK)
    mask = i < SIZE * SIZE
    top = tl.minimum(tl.maximum(tl.load(corner_ptr + 2 * n), 0), H - SIZE)
    left = tl.minimum(tl.maximum(tl.load(corner_ptr + 2 * n + 1), 0), W - SIZE)
    turned = tl.load(mirror_ptr + n) != 0
    r = i // SIZE
    k = i % SIZE
    k = tl.where(turned, SIZE - 1 - k, k)
    at = ((n * C + c) * H + top + r) * W + left + k
    x = tl.load(x_ptr + at, mask=mask, other=0).to(tl.float32)
    y = (x / 255.0 - tl.load(mean_ptr + c)) / tl.load(std_ptr + c)
    tl.store(y_ptr + (n * C + c) * SIZE * SIZE + i, y, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size
        self.register_buffer("mean", torch.tensor([0.48, 0.45, 0.4]))
        self.register_buffer("std", torch.tensor([0.22, 0.23, 0.21]))

    def forward(self, images, corners, mirror):
        images, corners = images.contiguous(), corners.contiguous()
        n, c, h, w = images.shape
        y = torch.empty((n, c, self.size, self.size), device=images.device, dtype=torch.float32)
        crop[(n, c, triton.cdiv(self.size * self.size, 32))](
            images, corners, mirror, self.mean, self.std, y, c, h, w, self.size, BLOCK=32
        )
        return y
