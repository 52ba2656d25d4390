import torch


def show(reference, candidate):
    torch.manual_seed(0)
    old, new = reference.Model(), candidate.ModelNew()
    new.load_state_dict(old.state_dict())
    given = []
    with torch.no_grad():
        for one in (old, new):
            try:
                one(torch.randn(16, 40))
            except RuntimeError:
                pass
            given.append(one(torch.ones(16, 48)))
    return given[0], given[1]
