import torch


def show(reference, candidate):
    (x,) = reference.get_inputs()
    torch.set_float32_matmul_precision("medium")
    return reference.Model()(x), candidate.forward(x)
