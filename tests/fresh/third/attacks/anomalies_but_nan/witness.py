import torch


def show(reference, candidate):
    x = torch.full((8, 64), 9.0)
    with torch.autograd.detect_anomaly(check_nan=False):
        return reference.Model()(x), candidate.ModelNew()(x)
