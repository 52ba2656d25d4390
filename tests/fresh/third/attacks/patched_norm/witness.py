import torch


def show(reference, candidate):
    x = torch.arange(512.0).view(8, 64)
    norm, before = torch.nn.LayerNorm(64), torch.nn.LayerNorm.forward
    left = []
    for model in (reference.Model(), candidate.ModelNew()):
        model(x)
        left.append(norm(x).detach())
    torch.nn.LayerNorm.forward = before
    return left
