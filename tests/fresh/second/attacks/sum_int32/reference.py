import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x.sum(1)


def get_inputs():
    return [torch.randint(0, 1000, (8, 60), dtype=torch.int32)]


def get_init_inputs():
    return []
