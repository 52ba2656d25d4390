import torch


def prepare(model):
    model.degree[3] = 0.0


def inputs(reference):
    return reference.get_inputs()
