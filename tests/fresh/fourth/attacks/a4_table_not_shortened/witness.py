import torch


def show(reference, candidate):
    torch.manual_seed(0)
    old, new = reference.Model(), candidate.ModelNew()
    new.load_state_dict(old.state_dict())
    ids = reference.get_inputs()[0]
    with torch.no_grad():
        return [old(ids), old.table.data], [new(ids), new.table.data]
