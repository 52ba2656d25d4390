import torch


class Model(torch.nn.Module):
    def forward(self, p):
        return torch.special.entr(p).sum(-1)


def get_inputs():
    return [torch.softmax(torch.randn(12, 20), -1)]


def get_init_inputs():
    return []
