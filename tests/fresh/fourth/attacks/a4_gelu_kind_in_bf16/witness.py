import torch


CLEAR = 0.1


def prepare(model):
    with torch.no_grad():
        model.up.zero_()
        model.down.zero_()
        for one in range(32):
            model.up[one, one] = 1.0
            model.down[one, one] = 1.0


def inputs(reference):
    return [torch.full((16, 32), -4.0).bfloat16()]
