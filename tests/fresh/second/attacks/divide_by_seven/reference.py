import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.div(x, 7, rounding_mode="trunc")


def get_inputs():
    return [torch.randint(-500, 500, (9, 30), dtype=torch.int32)]


def get_init_inputs():
    return []
