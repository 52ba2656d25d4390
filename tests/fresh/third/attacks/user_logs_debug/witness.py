import logging

import torch


def show(reference, candidate):
    x = -torch.ones(8, 64)
    root = logging.getLogger()
    before = root.level
    root.setLevel(logging.DEBUG)
    try:
        return reference.Model()(x), candidate.ModelNew()(x)
    finally:
        root.setLevel(before)
