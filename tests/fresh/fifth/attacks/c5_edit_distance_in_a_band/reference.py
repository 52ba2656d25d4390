import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        n, m = a.shape[1], b.shape[1]
        place = torch.arange(m + 1, dtype=torch.int32, device=a.device)
        old = place.expand(len(a), -1)
        for i in range(n):
            cost = (a[:, i : i + 1] != b).int()
            step = torch.minimum(old[:, 1:] + 1, old[:, :-1] + cost)
            step = torch.cat([old[:, :1] + 1, step], 1)
            old = torch.cummin(step - place, dim=1).values + place
        return old[:, -1].contiguous()


def get_inputs():
    return [torch.randint(0, 30, (5, 40)), torch.randint(0, 30, (5, 40))]


def get_init_inputs():
    return []
