import torch


def inputs(reference):
    x, ends = reference.get_inputs()
    return [x, torch.tensor([3, 7, 60, 64])]
