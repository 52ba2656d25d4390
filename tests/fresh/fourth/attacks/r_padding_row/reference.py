import torch


class Model(torch.nn.Module):
    def __init__(self, words, width):
        super().__init__()
        self.table = torch.nn.Embedding(words, width)

    def forward(self, ids):
        return self.table(ids).sum(dim=1)


def get_inputs():
    return [torch.randint(0, 24, (6, 10))]


def get_init_inputs():
    return [24, 16]
