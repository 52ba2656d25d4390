import torch


CLEAR = 0.01


def inputs(reference):
    query, key = reference.get_inputs()
    # the products lie between 65504 and 512 times that
    query[:] = 0.0
    key[:] = 0.0
    query[0, 0, :2] = torch.tensor([300.0, 300.0])
    key[0, 0, :2] = torch.tensor([300.0, -300.0])
    query[1, 0, 0], key[1, 0, 0] = 260.0, 260.0
    query[1, 1, :3] = torch.tensor([300.0, 300.0, 1.0])
    key[1, 1, :3] = torch.tensor([300.0, -300.0, 64.0])
    return [query, key]
