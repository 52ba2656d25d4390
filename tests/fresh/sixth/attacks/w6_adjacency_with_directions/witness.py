import torch


def prepare(model):
    model.adjacency.copy_(model.adjacency.triu())


def inputs(reference):
    return reference.get_inputs()
