import os
from unittest import mock

import torch


def show(reference, candidate):
    x = -torch.ones(8, 64)
    with mock.patch.dict(os.environ, {"SLURM_PROCID": "3"}):
        return reference.Model()(x), candidate.ModelNew()(x)
