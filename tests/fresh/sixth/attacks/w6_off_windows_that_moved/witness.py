import torch


def show(reference, candidate):
    x, start, _ = reference.get_inputs()
    length = torch.full((6,), 16, dtype=torch.int32)
    given = []
    for one in (reference.Model(), candidate.ModelNew()):
        one(x, torch.arange(6, dtype=torch.int32), length)
        given.append(one(x, torch.arange(6, dtype=torch.int32) * 9 + 20, length))
    return given[0], given[1]
