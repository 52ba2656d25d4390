from unittest import mock

import torch


def show(reference, candidate):
    torch.manual_seed(54)
    x = torch.randn(8, 64)
    with mock.patch.object(torch.cuda, "device_count", lambda: 8):
        return reference.Model()(x), candidate.forward(x)
