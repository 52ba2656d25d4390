import torch


def show(reference, candidate):
    (x,) = reference.get_inputs()
    with torch.autograd.set_detect_anomaly(True):
        return reference.Model()(x), candidate.forward(x)
