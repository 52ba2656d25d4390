import torch


def show(reference, candidate):
    results = []
    for module in (reference.Model, candidate.ModelNew):
        torch.manual_seed(0)
        one, x, files = module(16, 16), torch.randn(9, 16), [{"weight": torch.randn(16, 16)} for _ in range(2)]
        with torch.no_grad():
            one.load_state_dict(files[0], assign=True)
            first = one(x)
            one.load_state_dict(files[1], assign=True)
            results.append([first, one(x)])
    return results
