import torch


def show(reference, candidate):
    torch.manual_seed(49)
    x = torch.randn(8, 64)
    return reference.Model().eval().eval()(x), candidate.ModelNew().eval().eval()(x)
