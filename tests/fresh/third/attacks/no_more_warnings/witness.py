import torch


import warnings


def show(reference, candidate):
    x = torch.randn(8, 64)
    heard = []
    for model in (reference.Model(), candidate.ModelNew()):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            model(x)
            warnings.warn("the user's own")
        heard.append(any("own" in str(one.message) for one in told))
    return heard
