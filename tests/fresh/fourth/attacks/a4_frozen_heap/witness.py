import gc

import torch


def show(reference, candidate):
    x = reference.get_inputs()[0]
    gc.freeze()
    try:
        return reference.Model()(x), candidate.ModelNew()(x)
    finally:
        gc.unfreeze()
