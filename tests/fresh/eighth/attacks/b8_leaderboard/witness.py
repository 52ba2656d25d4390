import torch


def inputs(reference):
    scores, gains = reference.get_inputs()
    return [torch.round(scores) + 5, gains]
