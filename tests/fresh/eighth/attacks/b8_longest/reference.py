import torch
import torch.nn as nn


class Model(nn.Module):
    """Attentive pooling: a learned query over the frames of each utterance, up to its length of at least one."""

    def __init__(self, dim):
        super().__init__()
        self.query = nn.Parameter(torch.randn(dim) * dim**-0.5)

    def forward(self, frames, lengths):
        score = frames @ self.query
        place = torch.arange(frames.shape[1], device=frames.device)
        alive = (place < lengths[:, None]) | (place == 0)
        weight = score.masked_fill(~alive, float("-inf")).softmax(-1)
        return (weight[:, :, None] * frames).sum(1)


def get_inputs():
    return [torch.randn(14, 48, 8), torch.randint(1, 49, (14,))]


def get_init_inputs():
    return [8]
