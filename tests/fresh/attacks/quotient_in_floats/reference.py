import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.div(x, 10, rounding_mode="floor")


def get_inputs():
    return [torch.randint(0, 21200000, (16, 20))]


def get_init_inputs():
    return []
