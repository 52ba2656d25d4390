import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, gamma):
        super().__init__()
        self.gamma = gamma

    def forward(self, reward, done):
        out = torch.empty_like(reward)
        g = torch.zeros_like(reward[:, 0])
        for t in range(reward.shape[1] - 1, -1, -1):
            g = reward[:, t] + self.gamma * torch.where(done[:, t], torch.zeros_like(g), g)
            out[:, t] = g
        return out


def get_inputs():
    return [torch.randn(6, 22), torch.rand(6, 22) < 0.15]


def get_init_inputs():
    return [0.8]
