import torch


class Model(torch.nn.Module):
    def forward(self, logits):
        return torch.argmax(torch.softmax(logits, dim=-1), dim=-1)


def get_inputs():
    return [torch.randn(24, 50)]


def get_init_inputs():
    return []
