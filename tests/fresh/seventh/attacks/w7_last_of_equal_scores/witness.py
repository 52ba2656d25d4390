import torch


def inputs(reference):
    torch.manual_seed(12)
    penalty = reference.Model(48).penalty
    return [penalty + torch.randint(0, 3, (12, 48)) * 0.0625]
