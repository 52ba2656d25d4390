import torch
import torch.nn as nn


class Model(nn.Module):
    """Cross entropy with saved weights of the classes; targets of -100 are ignored."""

    def __init__(self, classes):
        super().__init__()
        self.loss = nn.CrossEntropyLoss(weight=torch.rand(classes) + 0.1)

    def forward(self, logits, target):
        return self.loss(logits, target)


def get_inputs():
    target = torch.randint(0, 27, (22,))
    return [torch.randn(22, 27), torch.where(torch.rand(22) < 0.2, -100, target)]


def get_init_inputs():
    return [27]
