import torch


def show(reference, candidate):
    x = torch.ones(16, 64)
    torch.use_deterministic_algorithms(True)
    try:
        return reference.Model()(x), candidate.ModelNew()(x)
    finally:
        torch.use_deterministic_algorithms(False)
