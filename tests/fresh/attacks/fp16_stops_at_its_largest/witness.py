import torch


def inputs(reference):
    return [torch.full((16, 48), 1000.0, dtype=torch.float16)]
