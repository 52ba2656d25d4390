import torch


def show(reference, candidate):
    model, new = reference.Model(), candidate.ModelNew()
    new.load_state_dict(model.state_dict())
    (x,) = reference.get_inputs()
    with torch.no_grad():
        for one in (model, new):
            one.register_forward_hook(lambda *_: None)
        return model(x), new(x)
