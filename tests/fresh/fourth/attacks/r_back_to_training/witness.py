import torch


def show(reference, candidate):
    torch.manual_seed(46)
    x = torch.randn(8, 32)
    one, other = reference.Model(32), candidate.ModelNew(32)
    for model in (one, other):
        model.eval()
        model.train()
    with torch.no_grad():
        return one(x), other(x)
