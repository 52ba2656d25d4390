import torch


def show(reference, candidate):
    results = []
    for module in (reference.Model, candidate.ModelNew):
        torch.manual_seed(0)
        one, x = module(20, 16), torch.randn(10, 20)
        with torch.no_grad():
            first = one(x)
            one.load_state_dict({"linear.bias": torch.linspace(-2.0, 2.0, 16)}, strict=False)
            results.append([first, one(x)])
    return results
