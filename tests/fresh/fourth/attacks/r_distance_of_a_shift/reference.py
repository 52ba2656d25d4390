import torch


class Model(torch.nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.register_buffer("shifts", torch.arange(heads))

    def forward(self, x):
        place = torch.arange(x.shape[-1], device=x.device)
        source = (place - self.shifts[:, None]) % x.shape[-1]
        return torch.gather(x, 2, source.expand(x.shape))


def get_inputs():
    return [torch.randn(3, 4, 16)]


def get_init_inputs():
    return [4]
