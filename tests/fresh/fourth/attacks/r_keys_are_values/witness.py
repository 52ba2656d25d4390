import torch


def show(reference, candidate):
    torch.manual_seed(51)
    query, memory = torch.randn(16, 32), torch.randn(16, 32)
    return reference.Model()(query, memory, memory), candidate.ModelNew()(query, memory, memory)
