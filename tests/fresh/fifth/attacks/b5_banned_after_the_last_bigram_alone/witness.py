import torch


def inputs(reference):
    logits, tokens = reference.get_inputs()
    tokens[:, 3] = tokens[:, -1]
    tokens[:, 11] = tokens[:, -1]
    return [logits, tokens]
