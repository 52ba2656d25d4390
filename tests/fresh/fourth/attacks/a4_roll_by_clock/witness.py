import torch


def inputs(reference):
    x, steps = reference.get_inputs()
    return [x, torch.tensor([5003])]
