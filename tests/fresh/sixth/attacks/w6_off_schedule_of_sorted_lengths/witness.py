import torch


def show(reference, candidate):
    x, _ = reference.get_inputs()
    length = torch.tensor([3, 9, 17, 22, 31, 40, 55, 64], dtype=torch.int32)
    given = []
    for one in (reference.Model(), candidate.ModelNew()):
        one(x, length)
        given.append(one(x, length.flip(0)))
    return given[0], given[1]
