from unittest import mock

import torch


def show(reference, candidate):
    torch.manual_seed(55)
    x = torch.randn(16, 64)
    with mock.patch.object(torch.cuda, "current_device", lambda: 3):
        return reference.Model()(x), candidate.forward(x)
