import torch


def show(reference, candidate):
    x = reference.get_inputs()[0]
    torch.compiler._is_exporting_flag = True
    try:
        return reference.Model()(x), candidate.ModelNew()(x)
    finally:
        torch.compiler._is_exporting_flag = False
