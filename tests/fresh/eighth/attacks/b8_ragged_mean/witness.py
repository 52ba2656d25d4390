import torch


def show(reference, candidate):
    model, new = reference.Model(), candidate.ModelNew()
    tokens, lengths = reference.get_inputs()
    lengths.copy_(torch.tensor([3, 9, 1, 0, 4, 8]))
    model(tokens, lengths), new(tokens, lengths)
    lengths.copy_(torch.tensor([7, 2, 6, 1, 8, 3]))
    return model(tokens, lengths), new(tokens, lengths)
