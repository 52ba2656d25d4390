import torch


def inputs(reference):
    q, k, v = reference.get_inputs()
    q = torch.ones_like(q)
    k = k * 0.1
    k[:, 48:] = -14.8 / 4.0
    v[:, 48:] = 1e6
    return [q, k, v]
