import torch


def inputs(reference):
    (wave,) = reference.get_inputs()
    wave[1, 10:20] = -0.0
    return [wave]
