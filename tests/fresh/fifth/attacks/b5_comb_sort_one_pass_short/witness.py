import torch


def inputs(reference):
    steps = [(i, i + gap) for gap in (8, 6, 4, 3, 2, 1, 1, 1, 1) for i in range(16 - gap)]
    patterns = (torch.arange(65536)[:, None] >> torch.arange(16)) & 1
    ranked = patterns.clone()
    for one, other in steps:
        low, high = ranked[:, one].minimum(ranked[:, other]), ranked[:, one].maximum(ranked[:, other])
        ranked[:, one], ranked[:, other] = low, high
    bad = patterns[(ranked.diff(dim=1) < 0).any(dim=1)][0]
    return [bad[:, None] * 4.0 + torch.rand(16, 24)]
