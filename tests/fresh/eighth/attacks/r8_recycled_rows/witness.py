import torch


def show(reference, candidate):
    torch.manual_seed(0)
    model, new = reference.Model(48), candidate.ModelNew(48)
    new.load_state_dict(model.state_dict())
    given = [reference.get_inputs() for _ in range(20)]
    with torch.no_grad():
        expected = [model(*one) for one in given]
        got = [new(*one) for one in given]
    return expected, got
