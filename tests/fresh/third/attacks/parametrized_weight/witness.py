import torch
from torch.nn.utils import parametrize


class Positive(torch.nn.Module):
    def forward(self, weight):
        return weight.exp()


def show(reference, candidate):
    x = torch.zeros(8, 64)
    left = []
    for made in (reference.Model, candidate.ModelNew):
        torch.manual_seed(0)
        model = made()
        parametrize.register_parametrization(model, "weight", Positive())
        left.append(model(x).detach())
    return left
