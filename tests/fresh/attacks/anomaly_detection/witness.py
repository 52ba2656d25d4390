import torch


def show(reference, candidate):
    x = torch.randn(16, 48)
    with torch.autograd.set_detect_anomaly(True):
        return reference.Model()(x), candidate.ModelNew()(x)
