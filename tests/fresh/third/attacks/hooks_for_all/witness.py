import torch
from torch.nn.modules.module import register_module_forward_hook


def show(reference, candidate):
    x = -torch.ones(8, 64)
    handle = register_module_forward_hook(lambda *given: None)
    try:
        return reference.Model()(x), candidate.ModelNew()(x)
    finally:
        handle.remove()
