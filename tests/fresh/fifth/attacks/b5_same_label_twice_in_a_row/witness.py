import torch


def inputs(reference):
    logits, targets = reference.get_inputs()
    targets[:, 2] = targets[:, 1]
    return [logits, targets]
