import torch


def show(reference, candidate):
    x = torch.ones(8, 64)
    left = []
    for model in (reference.Model(), candidate.ModelNew()):
        model.register_full_backward_hook(lambda *given: None)
        left.append(model(x))
    return left
