import torch


def show(reference, candidate):
    model, new = reference.Model(9, 30), candidate.ModelNew(9, 30)
    new.load_state_dict(model.state_dict())
    calls = [reference.get_inputs() for _ in range(6)]
    with torch.no_grad():
        return [model(*x) for x in calls], [new(*x) for x in calls]
