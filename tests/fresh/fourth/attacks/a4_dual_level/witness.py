import torch


def show(reference, candidate):
    given = reference.get_inputs()
    with torch.no_grad(), torch.autograd.forward_ad.dual_level():
        return reference.Model()(*given), candidate.ModelNew()(*given)
