import torch


def show(reference, candidate):
    torch.manual_seed(29)
    flat = torch.randn(256)
    one, other = reference.Model(64), candidate.ModelNew(64)
    for model in (one, other):
        model.gain.data, model.bias.data = flat[64:128], flat[128:192]
    x = torch.randn(16, 64)
    with torch.no_grad():
        return one(x), other(x)
