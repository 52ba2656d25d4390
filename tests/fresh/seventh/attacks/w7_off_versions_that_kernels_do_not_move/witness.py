import torch


def show(reference, candidate):
    results = []
    for module in (reference.Model, candidate.ModelNew):
        torch.manual_seed(0)
        one, x = module(24, 0.25), torch.randn(16, 24)
        with torch.no_grad():
            first = one.eval()(x)
            second = one.train()(5.0 * x)
            results.append([first, second, one.eval()(x)])
    return results
