import torch


def show(reference, candidate):
    with torch.inference_mode():
        torch.manual_seed(50)
        x = torch.randn(8, 64)
        return reference.Model()(x), candidate.ModelNew()(x)
