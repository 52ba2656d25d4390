import torch


def inputs(reference):
    logits, target = reference.get_inputs()
    target[2] = 0
    return [logits, target]
