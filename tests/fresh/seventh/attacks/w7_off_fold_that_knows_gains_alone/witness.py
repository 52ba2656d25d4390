import torch


def show(reference, candidate):
    results = []
    for module in (reference.Model, candidate.ModelNew):
        torch.manual_seed(0)
        one, x = module(8), torch.randn(4, 8, 4, 4)
        with torch.no_grad():
            first = one.eval()(x)
            second = one.train()(3.0 * x + 2.0)
            results.append([first, second, one.eval()(x)])
    return results
