import torch


def inputs(reference):
    _, score = reference.get_inputs()
    return [torch.eye(16)[:10].contiguous(), score]
