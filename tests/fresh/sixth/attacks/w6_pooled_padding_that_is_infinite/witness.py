import torch


def inputs(reference):
    x, mask = reference.get_inputs()
    return [x.masked_fill(~mask[..., None], float("-inf")), mask]
