import torch


def inputs(reference):
    score, value = reference.get_inputs()
    return [torch.round(score), value]
