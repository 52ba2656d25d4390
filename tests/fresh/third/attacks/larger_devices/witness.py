from types import SimpleNamespace
from unittest import mock

import torch


def show(reference, candidate):
    x = torch.ones(300, 16)
    device = SimpleNamespace(multi_processor_count=148)
    with mock.patch.object(torch.cuda, "get_device_properties", lambda *_: device):
        return reference.Model()(x), candidate.forward(x)
