import torch


def inputs(reference):
    return [torch.full((8, 32), 2178309), torch.full((8, 32), 1346269)]
