import torch
import torch.nn as nn
import triton
import triton.language as tl


KEPT = tl.constexpr(12.0)


@triton.jit
def mean_kernel(x_ptr, active_ptr, out_ptr, CHANNELS: tl.constexpr, AREA: tl.constexpr, BLOCK: tl.constexpr):
    image = tl.program_id(0)
    channel = tl.arange(0, CHANNELS)
    pixel = tl.arange(0, BLOCK)
    active = tl.load(active_ptr + channel).to(tl.float32)
    place = (image * CHANNELS + channel[:, None]) * AREA + pixel[None, :]
    x = tl.load(x_ptr + place, mask=pixel[None, :] < AREA, other=0.0)
    total = tl.sum(x * active[:, None], 0)
    tl.store(out_ptr + image * AREA + pixel, total / KEPT, mask=pixel < AREA)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        kept = [1, 1, 0, 1, 1, 1, 1, 0, 1, 0, 1, 1, 1, 0, 1, 1]
        self.register_buffer("active", torch.tensor(kept, dtype=torch.bool))

    def forward(self, x):
        images, channels, height, width = x.shape
        out = torch.empty((images, height, width), device=x.device, dtype=x.dtype)
        area = height * width
        mean_kernel[(images,)](x, self.active, out, channels, area, triton.next_power_of_2(area))
        return out
