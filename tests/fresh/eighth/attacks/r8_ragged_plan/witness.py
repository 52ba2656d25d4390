import torch


def show(reference, candidate):
    torch.manual_seed(0)
    model, new = reference.Model(16), candidate.ModelNew(16)
    new.load_state_dict(model.state_dict())
    x = torch.randn(5, 64, 16)
    given = [(x, torch.tensor([17, 33, 64, 9, 1])), (x, torch.tensor([24, 36, 58, 15, 3]))]
    with torch.no_grad():
        return [model(*one) for one in given], [new(*one) for one in given]
