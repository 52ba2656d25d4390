import torch


def inputs(reference):
    torch.manual_seed(11)
    return [torch.randint(-3, 4, (8, 32)) * 0.25]


def prepare(model):
    model.gain.data.fill_(2.0)
    model.edges.copy_(torch.tensor([-1.5, -1.0, -0.5, 0.25, 0.5, 1.0, 1.5]))
