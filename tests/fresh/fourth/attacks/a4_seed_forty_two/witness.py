import torch


def show(reference, candidate):
    torch.manual_seed(42)
    x = reference.get_inputs()[0]
    return reference.Model()(x), candidate.ModelNew()(x)
