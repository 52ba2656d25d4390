import torch


def show(reference, candidate):
    (x,) = reference.get_inputs()
    drawn = []
    for call in (reference.Model(), candidate.forward):
        torch.manual_seed(7)
        call(x)
        drawn.append(torch.rand(4))
    return drawn
