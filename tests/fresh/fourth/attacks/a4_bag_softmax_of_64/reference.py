import torch
import torch.nn as nn


class Model(nn.Module):
    """The softmax over the members of each bag; bag[i] names the bag of member i, and bags lie together."""

    def forward(self, x, starts):
        place = torch.arange(x.shape[0], device=x.device)
        bag = (place[None, :] >= starts[:, None]).sum(dim=0)
        same = bag[:, None] == bag[None, :]
        top = torch.where(same, x[None, :], float("-inf")).amax(dim=1)
        power = torch.where(same, (x[None, :] - top[:, None]).exp(), 0.0)
        return (x - top).exp() / power.sum(dim=1)


def get_inputs():
    return [torch.randn(256), torch.randint(0, 256, (32,)).sort().values]


def get_init_inputs():
    return []
