import torch


def show(reference, candidate):
    new = candidate.ModelNew(16, 10)
    (x,) = reference.get_inputs()
    with torch.no_grad():
        new(x)
        other = reference.Model(16, 10)
        new.load_state_dict(other.state_dict(), assign=True)
        return other(x), new(x)
