import torch


def prepare(model):
    order = torch.tensor([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7])
    model.cos.copy_(model.cos[:, order].clone())
    model.sin.copy_(model.sin[:, order].clone())


def inputs(reference):
    return reference.get_inputs()
