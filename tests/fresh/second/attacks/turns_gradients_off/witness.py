import torch


def show(reference, candidate):
    (x,) = reference.get_inputs()
    modes = []
    for call in (reference.Model(), candidate.forward):
        with torch.enable_grad():
            call(x)
            modes.append(torch.is_grad_enabled())
    return modes
