import torch


class Model(torch.nn.Module):
    def forward(self, x):
        if self.training:
            return torch.softmax(x * 2.0, dim=-1)
        return torch.softmax(x, dim=-1)


def get_inputs():
    return [torch.randn(16, 48)]


def get_init_inputs():
    return []
