import torch


def prepare(model):
    step = torch.arange(8)[None, :] - torch.arange(8)[:, None]
    model.move.data[(step < 0) | (step > 1)] = float("-inf")
    model.start.data[1:] = float("-inf")


def inputs(reference):
    return reference.get_inputs()
