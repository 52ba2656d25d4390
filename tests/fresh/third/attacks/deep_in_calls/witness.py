import torch


def deep(model, x, n):
    return model(x) if n == 0 else deep(model, x, n - 1)


def prepare_same(model):
    torch.nn.init.ones_(model.bias)
    return model


def show(reference, candidate):
    x = torch.zeros(8, 64)
    one, other = prepare_same(reference.Model()), prepare_same(candidate.ModelNew())
    return deep(one, x, 120).detach(), deep(other, x, 120).detach()
