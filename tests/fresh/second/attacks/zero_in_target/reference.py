import torch


class Model(torch.nn.Module):
    def forward(self, target, score):
        return (torch.xlogy(target, target) - target * score).sum(1)


def get_inputs():
    return [torch.softmax(torch.randn(10, 16), 1), torch.randn(10, 16)]


def get_init_inputs():
    return []
