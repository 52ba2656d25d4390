import torch


def show(reference, candidate):
    old, new, x = reference.Model(), candidate.ModelNew(), torch.randn(16, 48)
    torch.set_autocast_enabled("cuda", True)
    torch.set_autocast_dtype("cuda", torch.bfloat16)
    return old(x), new(x)
