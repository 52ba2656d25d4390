import torch


def show(reference, candidate):
    x = torch.ones(8, 64)
    given = []
    for made in (reference.Model, candidate.ModelNew):
        trained = made()
        trained.scale.fill_(4.0)
        again = made()
        again.load_state_dict(trained.state_dict())
        given.append(again(x))
    return given
