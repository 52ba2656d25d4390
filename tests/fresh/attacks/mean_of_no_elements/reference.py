import torch


class Model(torch.nn.Module):
    def forward(self, x, length):
        inside = torch.arange(x.shape[1], device=x.device) < length[:, None]
        return (x * inside).sum(dim=-1) / length


def get_inputs():
    return [torch.randn(16, 48), torch.randint(0, 49, (16,))]


def get_init_inputs():
    return []
