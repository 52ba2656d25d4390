import torch


def inputs(reference):
    torch.manual_seed(0)
    shape = (24, 30)
    return [torch.randn(shape), torch.randn(shape), 0.1 * torch.randn(shape), torch.rand(shape), torch.tensor([131079])]
