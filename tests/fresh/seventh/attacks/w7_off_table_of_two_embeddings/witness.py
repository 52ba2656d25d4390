import torch


def show(reference, candidate):
    results = []
    for module in (reference.Model, candidate.ModelNew):
        torch.manual_seed(0)
        one, given = module(12, 3, 16), reference.get_inputs()
        with torch.no_grad():
            first = one(*given)
            one.load_state_dict({"kinds.weight": torch.randn(3, 16)}, strict=False)
            results.append([first, one(*given)])
    return results
