import torch


def show(reference, candidate):
    model, new = reference.Model(), candidate.ModelNew()
    (x,) = reference.get_inputs()
    with torch.no_grad():
        new(x)
        for one in (model, new):
            one.weight.data.copy_(torch.ones(16, 32))
        return model(x), new(x)
