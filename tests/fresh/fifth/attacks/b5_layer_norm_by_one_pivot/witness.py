import torch


def inputs(reference):
    x = reference.get_inputs()[0]
    return [x + 1500.0 * torch.arange(x.shape[0])[:, None]]
