import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("edges", torch.arange(40) * 0.1 + 0.05)

    def forward(self, x):
        return torch.bucketize(x, self.edges)


def get_inputs():
    return [torch.rand(8, 24) * 4]


def get_init_inputs():
    return []
