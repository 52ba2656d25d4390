import torch


def show(reference, candidate):
    torch.manual_seed(48)
    x = torch.randn(8, 32)
    one, other = reference.Model(32).float(), candidate.ModelNew(32).float()
    with torch.no_grad():
        return one(x), other(x)
