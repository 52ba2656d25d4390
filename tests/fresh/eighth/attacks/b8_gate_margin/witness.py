import torch


def inputs(reference):
    x, noise = reference.get_inputs()
    return [torch.zeros_like(x), (noise * 10).round()]
