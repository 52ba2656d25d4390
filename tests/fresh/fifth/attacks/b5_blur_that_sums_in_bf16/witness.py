import torch


def inputs(reference):
    x = torch.ones(1, 3, 12, 12)
    x[:, :, ::3] = 1000.0
    x[:, :, 2::3] = -1000.0
    return [x.to(torch.bfloat16)]
