import torch
import torch.nn as nn


class Model(nn.Module):
    """Soft maximum over time and over channels: logsumexp with a sharpness, less the logarithm of the count."""

    def __init__(self, sharp):
        super().__init__()
        self.sharp = sharp

    def forward(self, long, short):
        results = []
        for x in (long, short):
            mean = torch.logsumexp(x * self.sharp, dim=-1) - torch.log(torch.tensor(float(x.shape[-1])))
            results.append(mean / self.sharp)
        return tuple(results)


def get_inputs():
    return [torch.randn(3, 4, 310), torch.randn(9, 13)]


def get_init_inputs():
    return [2.0]
