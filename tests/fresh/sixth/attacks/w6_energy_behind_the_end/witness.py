import torch


def inputs(reference):
    x, _ = reference.get_inputs()
    x[:, 20:] = float("inf")
    return [x, torch.full((8,), 20, dtype=torch.int32)]
