import torch


def show(reference, candidate):
    x = reference.get_inputs()[0]
    old, new = reference.Model(), candidate.ModelNew()

    def begin(module):
        if hasattr(module, "slope"):
            torch.nn.init.constant_(module.slope, 0.9)

    old.apply(begin)
    new.apply(begin)
    with torch.no_grad():
        return old(x), new(x)
