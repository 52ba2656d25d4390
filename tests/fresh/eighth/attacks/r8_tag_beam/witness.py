import torch


def prepare(model):
    with torch.no_grad():
        model.start.zero_()
        model.move.fill_(-500.0)
        model.move[3].zero_()


def inputs(reference):
    emission = torch.zeros(9, 14, 10)
    emission[:, 0, 5] = 100.0
    return [emission]
