import torch


def prepare(model):
    model.bn.running_var[3:6] = 1e-7
    model.bn.running_mean.zero_()


def inputs(reference):
    torch.manual_seed(6)
    x = torch.randn(32, 24)
    x[:, 3:6] *= 3e-4
    return [x]
