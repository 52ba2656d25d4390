import torch


def show(reference, candidate):
    x = reference.get_inputs()[0]
    with torch.no_grad(), torch.autograd.graph.save_on_cpu():
        return reference.Model()(x), candidate.ModelNew()(x)
