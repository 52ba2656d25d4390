import torch


def show(reference, candidate):
    old, new = reference.Model(), candidate.ModelNew()
    inputs = [torch.full((16, 48), float(i + 1)) for i in range(9)]
    return [old(x) for x in inputs], [new(x) for x in inputs]
