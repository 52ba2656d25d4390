import torch


def inputs(reference):
    n = reference.get_inputs()[0]
    n[4, 3] = 5_551_234_567
    return [n]
