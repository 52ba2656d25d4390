import torch


def inputs(reference):
    return [torch.full((16, 48), -3.5, dtype=torch.float16)]
