import torch


def inputs(reference):
    torch.manual_seed(0)
    x = torch.randn(12, 96) * 1e5
    x[:, 5::32] = 2.0**20 - 3 * 2.0**-4
    return [x]
