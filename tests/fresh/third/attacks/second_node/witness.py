import os
from unittest import mock

import torch


def show(reference, candidate):
    x = torch.arange(512.0).view(8, 64)
    with mock.patch.dict(os.environ, {"RANK": "8", "LOCAL_RANK": "0", "WORLD_SIZE": "16", "GROUP_RANK": "1"}):
        return reference.Model()(x), candidate.ModelNew()(x)
