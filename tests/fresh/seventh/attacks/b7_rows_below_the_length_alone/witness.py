import torch


def show(reference, candidate):
    """Memory that nobody has written may hold anything, here sevens."""
    torch.manual_seed(0)
    model = reference.Model(16)
    new = candidate.ModelNew(16)
    new.load_state_dict(model.state_dict())
    x, _ = reference.get_inputs()
    lengths = torch.tensor([10, 3, 0, 7])
    real = torch.empty
    torch.empty = lambda *a, **k: real(*a, **k).fill_(7.0)
    try:
        got = new(x, lengths)
    finally:
        torch.empty = real
    return model(x, lengths), got
