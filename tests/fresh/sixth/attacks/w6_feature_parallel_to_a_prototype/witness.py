import torch


def show(reference, candidate):
    torch.manual_seed(0)
    old, new = reference.Model(), candidate.ModelNew()
    new.load_state_dict(old.state_dict())
    parts = [old.prototypes.detach() * by for by in (1.0, 3.0, 0.7, 1.3, 5.1, 0.11)]
    pairs = [(old(torch.cat([x, x])).detach(), new(torch.cat([x, x]))) for x in parts]
    pairs = [pair for pair in pairs if pair[1].isnan().any()]
    expected, got = pairs[0]
    return expected.nan_to_num(9.0)[got.isnan()], got[got.isnan()]
