import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, w, x):
        return (w.float() @ x.float()).to(torch.bfloat16)


def get_inputs():
    return [torch.randn(50, 200).bfloat16(), torch.randn(200).bfloat16()]


def get_init_inputs():
    return []
