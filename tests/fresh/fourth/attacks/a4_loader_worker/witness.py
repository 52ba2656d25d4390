import torch
from torch.utils.data import DataLoader, Dataset


class Features(Dataset):
    def __init__(self, model, x):
        self.model, self.x = model, x

    def __len__(self):
        return 1

    def __getitem__(self, place):
        with torch.no_grad():
            return self.model(self.x)


def show(reference, candidate):
    x = reference.get_inputs()[0]
    info = torch.utils.data._utils.worker
    info._worker_info = info.WorkerInfo(id=0, num_workers=1, seed=1, dataset=None)
    try:
        return [Features(one(), x)[0] for one in (reference.Model,)], [Features(one(), x)[0] for one in (candidate.ModelNew,)]
    finally:
        info._worker_info = None
