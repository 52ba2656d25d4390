import torch


class Model(torch.nn.Module):
    def forward(self, x, ends):
        place = torch.searchsorted(ends, torch.arange(x.shape[0], device=x.device), right=True)
        return torch.zeros(ends.shape[0], x.shape[1], dtype=x.dtype, device=x.device).index_add(0, place, x)


def get_inputs():
    return [
        torch.randn(64, 16),
        torch.tensor([10, 30, 41, 64]) - torch.tensor([1, 1, 1, 0]) * torch.randint(0, 5, (4,)),
    ]


def get_init_inputs():
    return []
