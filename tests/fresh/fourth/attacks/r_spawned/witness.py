import multiprocessing.process
from unittest import mock

import torch


def show(reference, candidate):
    torch.manual_seed(44)
    x = torch.randn(8, 64)
    with torch.no_grad(), mock.patch.object(multiprocessing.process, "_parent_process", object()):
        return reference.Model(64)(x), candidate.ModelNew(64)(x)
