import torch


def inputs(reference):
    torch.manual_seed(22)
    return [torch.randint(-3, 20, (4, 10))]


def prepare(model):
    model.eval()
