import torch


def show(reference, candidate):
    torch.manual_seed(0)
    model, new = reference.Model(), candidate.ModelNew()
    x = torch.zeros(8, 60)
    x[:, 20] = 1.0
    given = [(x, torch.tensor(0.3042)), (x, torch.tensor(0.2958))]
    with torch.no_grad():
        return [model(*one) for one in given], [new(*one) for one in given]
