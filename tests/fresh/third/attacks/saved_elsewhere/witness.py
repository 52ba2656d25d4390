import torch


def show(reference, candidate):
    x = torch.full((8, 64), 1.0)
    with torch.autograd.graph.saved_tensors_hooks(lambda one: one, lambda one: one):
        return reference.Model()(x), candidate.ModelNew()(x)
