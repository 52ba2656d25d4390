import torch


def inputs(reference):
    torch.manual_seed(0)
    return reference.get_inputs()
