from unittest import mock

import torch
import torch.utils.data


def show(reference, candidate):
    torch.manual_seed(43)
    x = torch.randn(16, 64)
    info = torch.utils.data._utils.worker.WorkerInfo(id=0, num_workers=2, seed=1, dataset=None)
    with mock.patch.object(torch.utils.data._utils.worker, "_worker_info", info):
        return reference.Model()(x), candidate.ModelNew()(x)
