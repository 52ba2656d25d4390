import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x[-1].sum(dtype=torch.int32)


def get_inputs():
    return [torch.randint(-100, 100, (16, 48), dtype=torch.int32)]


def get_init_inputs():
    return []
