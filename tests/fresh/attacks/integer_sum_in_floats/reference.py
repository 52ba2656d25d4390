import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x.sum(dim=-1)


def get_inputs():
    return [torch.randint(0, 1000000, (16, 20))]


def get_init_inputs():
    return []
