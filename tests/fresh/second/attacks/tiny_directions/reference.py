import torch


class Model(torch.nn.Module):
    def forward(self, x):
        size = x.abs().amax(1, keepdim=True)
        y = x / torch.where(size == 0, torch.ones_like(size), size)
        return y / torch.where(size == 0, torch.ones_like(size), y.norm(dim=1, keepdim=True))


def get_inputs():
    return [torch.randn(16, 16)]


def get_init_inputs():
    return []
