import torch


def inputs(reference):
    place = torch.arange(26.0)
    return [torch.stack([place * 0.45, place * 0, torch.full_like(place, 0.5), torch.full_like(place, 0.5)], 1)]
