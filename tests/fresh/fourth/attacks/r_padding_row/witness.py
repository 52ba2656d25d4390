import torch


def prepare(model):
    with torch.no_grad():
        model.table.weight[::2, 0] = 0.0
        model.table.weight[::2, 12:] = 0.0


def inputs(reference):
    torch.manual_seed(16)
    return [torch.randint(0, 24, (6, 10))]
