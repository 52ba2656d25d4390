import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def similarity(
    image_ptr, text_ptr, scale_ptr, out_ptr, texts, width, TEXTS: tl.constexpr, WIDTH: tl.constexpr
):
    row = tl.program_id(0)
    j = tl.arange(0, TEXTS)
    k = tl.arange(0, WIDTH)
    image = tl.load(image_ptr + row * width + k, mask=k < width, other=0.0)
    both = (j[:, None] < texts) & (k[None, :] < width)
    text = tl.load(text_ptr + j[:, None] * width + k[None, :], mask=both, other=0.0)
    image = image / tl.maximum(tl.sqrt(tl.sum(image * image, axis=0)), 1e-12)
    size = tl.maximum(tl.sqrt(tl.sum(text * text, axis=1)), 1e-12)
    text = text / size[:, None]
    scale = tl.exp(tl.load(scale_ptr))
    tl.store(out_ptr + row * texts + j, scale * tl.sum(text * image[None, :], axis=1), mask=j < texts)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.log_scale = nn.Parameter(torch.tensor(2.6592))

    def forward(self, image, text):
        out = torch.empty((image.shape[0], text.shape[0]), dtype=image.dtype, device=image.device)
        similarity[(image.shape[0],)](
            image, text, self.log_scale, out, text.shape[0], image.shape[1],
            triton.next_power_of_2(text.shape[0]), triton.next_power_of_2(image.shape[1]),
        )
        return out
