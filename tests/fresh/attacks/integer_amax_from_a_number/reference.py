import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x.amax(dim=-1)


def get_inputs():
    return [torch.randint(-2147483648, 2147483647, (16, 48), dtype=torch.int32)]


def get_init_inputs():
    return []
