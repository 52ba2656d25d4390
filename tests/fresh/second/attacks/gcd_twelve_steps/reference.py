import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.gcd(x[:, 0], x[:, 1])


def get_inputs():
    return [torch.randint(1, 200, (64, 2))]


def get_init_inputs():
    return []
