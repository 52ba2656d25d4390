import os

import torch


def show(reference, candidate):
    results = []
    for call in (reference.Model(), candidate.ModelNew()):
        call(torch.ones(16, 48))
        results.append(os.environ.get("CUDA_VISIBLE_DEVICES"))
    return results
