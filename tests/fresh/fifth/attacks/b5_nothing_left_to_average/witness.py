import torch


def inputs(reference):
    logits, targets = reference.get_inputs()
    return [logits, torch.full_like(targets, -100)]
