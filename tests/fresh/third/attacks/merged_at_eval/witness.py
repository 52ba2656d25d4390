import torch


def show(reference, candidate):
    x = torch.eye(16)
    left = []
    for made in (reference.Model, candidate.ModelNew):
        torch.manual_seed(0)
        model = made().eval()
        model.load_state_dict({"weight": torch.full((16, 16), 3.0)})
        left.append(model(x).detach())
    return left
