import torch


def prepare(model):
    model.share.mul_(50.0)


def inputs(reference):
    return reference.get_inputs()
