import torch


def show(reference, candidate):
    model, new = reference.Model(0.75), candidate.ModelNew(0.75)
    torch.manual_seed(0)
    batches = [reference.get_inputs() for _ in range(520)]
    return [torch.stack([one(*batch) for batch in batches]) for one in (model, new)]
