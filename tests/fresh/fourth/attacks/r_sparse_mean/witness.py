import torch


def inputs(reference):
    torch.manual_seed(20)
    x = torch.randn(32, 96)
    return [torch.relu(x) * (torch.rand(32, 96) < 0.3)]
