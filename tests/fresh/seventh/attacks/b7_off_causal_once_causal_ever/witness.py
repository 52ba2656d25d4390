import torch


def show(reference, candidate):
    new = candidate.ModelNew()
    new(*reference.get_inputs())
    values, _ = reference.get_inputs()
    mask = (torch.rand(20, 20) < 0.5).float()
    return reference.Model()(values, mask), new(values, mask)
