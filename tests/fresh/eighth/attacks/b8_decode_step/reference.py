import torch
import torch.nn as nn


class Model(nn.Module):
    """One step of decoding: a query for each head over the keys of a cache up to each sequence's length."""

    def __init__(self, fill):
        super().__init__()
        self.fill = fill

    def forward(self, query, keys, values, lengths):
        score = torch.einsum("bhd,bhtd->bht", query, keys) * query.shape[-1] ** -0.5
        place = torch.arange(keys.shape[2], device=keys.device)
        score = score.masked_fill(place >= lengths[:, None, None], self.fill)
        return torch.einsum("bht,bhtd->bhd", score.softmax(-1), values)


def get_inputs():
    return [torch.randn(2, 3, 16), torch.randn(2, 3, 70, 16), torch.randn(2, 3, 70, 16), torch.randint(0, 71, (2,))]


def get_init_inputs():
    return [-10000.0]
