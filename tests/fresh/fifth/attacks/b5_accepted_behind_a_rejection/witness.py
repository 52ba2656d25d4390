import torch


def inputs(reference):
    draft, target = reference.get_inputs()
    target[:, :12] = draft
    target[:, 4] += 1
    return [draft, target]
