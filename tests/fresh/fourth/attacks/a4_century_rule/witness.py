import torch


def inputs(reference):
    year = reference.get_inputs()[0]
    year[0, 0] = 1900
    year[3, 7] = 2100
    return [year]
