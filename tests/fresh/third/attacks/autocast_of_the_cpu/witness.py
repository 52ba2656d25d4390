import torch


def show(reference, candidate):
    x = torch.full((8, 64), 0.9)
    with torch.autocast("cpu", torch.bfloat16):
        return reference.Model()(x), candidate.ModelNew()(x)
