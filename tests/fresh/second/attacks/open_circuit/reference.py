import torch


class Model(torch.nn.Module):
    def forward(self, r):
        return 1 / (1 / r[:, 0] + 1 / r[:, 1])


def get_inputs():
    return [torch.rand(64, 2) + 0.5]


def get_init_inputs():
    return []
