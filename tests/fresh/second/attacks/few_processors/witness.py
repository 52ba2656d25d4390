from types import SimpleNamespace

import torch


def show(reference, candidate):
    (x,) = reference.get_inputs()
    torch.cuda.get_device_properties = lambda device: SimpleNamespace(multi_processor_count=6)
    return reference.Model()(x), candidate.forward(x)
