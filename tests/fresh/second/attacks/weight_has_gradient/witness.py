import torch


def show(reference, candidate):
    model, new = reference.Model(), candidate.ModelNew()
    new.load_state_dict(model.state_dict())
    (x,) = reference.get_inputs()
    for one in (model, new):
        one.weight.grad = torch.ones(32)
    return model(x).detach(), new(x).detach()
