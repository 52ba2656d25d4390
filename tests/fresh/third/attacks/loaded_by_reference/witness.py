import torch


def show(reference, candidate):
    x = torch.eye(16)
    left = []
    for made in (reference.Model, candidate.ModelNew):
        torch.manual_seed(0)
        model = made()
        optimiser = torch.optim.SGD(model.parameters(), lr=1.0)
        model(x)
        model.weight.grad = torch.full((16, 16), 5.0)
        optimiser.step()
        left.append(model(x).detach())
    return left
