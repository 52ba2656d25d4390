import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def standardize(x_ptr, mean_ptr, std_ptr, out_ptr, C: tl.constexpr, PLACES: tl.constexpr):
    plane = tl.program_id(0)
    at = plane * PLACES + tl.arange(0, PLACES)
    mean = tl.load(mean_ptr + plane % C)
    std = tl.maximum(tl.load(std_ptr + plane % C), 0.05)
    tl.store(out_ptr + at, (tl.load(x_ptr + at) - mean) / std)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.tensor([0.485, 0.456, 0.406, 0.45]))
        self.register_buffer("std", torch.tensor([0.229, 0.224, 0.225, 0.21]))

    def forward(self, image):
        batch, channels, height, width = image.shape
        out = torch.empty_like(image)
        standardize[(batch * channels,)](image, self.mean, self.std, out, channels, height * width)
        return out
