import torch


def show(reference, candidate):
    torch.manual_seed(0)
    x = torch.randn(16, 64)
    expected, got = [], []
    for _ in range(40):  # one of these gets the address of one before
        new = candidate.ModelNew(64, 32)
        model = reference.Model(64, 32)
        model.load_state_dict(new.state_dict())
        with torch.no_grad():
            expected.append(model(x))
            got.append(new(x))
        del new, model
    return expected, got
