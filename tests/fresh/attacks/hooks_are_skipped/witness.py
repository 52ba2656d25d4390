import torch


def show(reference, candidate):
    results = []
    for model in (reference.Model(), candidate.ModelNew()):
        model.register_forward_hook(lambda module, args, out: out + 1.0)
        results.append(model(torch.ones(16, 48)))
    return results
