import torch
import torch.nn as nn


class Model(nn.Module):
    """Scores of the best tag sequences (Viterbi), and their last tags."""

    def __init__(self, tags):
        super().__init__()
        self.start = nn.Parameter(torch.randn(tags))
        self.move = nn.Parameter(torch.randn(tags, tags))

    def forward(self, emission):
        score = self.start + emission[:, 0]
        for t in range(1, emission.shape[1]):
            score = (score[:, :, None] + self.move).amax(1) + emission[:, t]
        best = score.max(-1)
        return best.values, best.indices


def get_inputs():
    return [torch.randn(9, 14, 10)]


def get_init_inputs():
    return [10]
