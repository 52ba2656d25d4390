import torch


def show(reference, candidate):
    torch.manual_seed(0)
    old, new = reference.Model(), candidate.ModelNew()
    flat = torch.cat([old.gain.data, old.bias.data])
    for one in (old, new):
        one.gain.data = flat[:32]
        one.bias.data = flat[32:]
    x = reference.get_inputs()[0]
    with torch.no_grad():
        return old(x), new(x)
