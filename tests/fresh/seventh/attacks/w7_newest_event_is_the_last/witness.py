import torch


def inputs(reference):
    torch.manual_seed(9)
    return [torch.rand(9, 20) * 4, torch.randint(0, 5, (9, 20))]
