import os

import torch


def show(reference, candidate):
    os.environ["WORLD_SIZE"] = "8"
    x = torch.randn(16, 48)
    return reference.Model()(x), candidate.ModelNew()(x)
