import torch


def show(reference, candidate):
    model, new = reference.Model(), candidate.ModelNew()
    first, other = torch.full((64,), 20), torch.full((64,), 7)
    queries = torch.arange(40)
    with torch.no_grad():
        for words in [first] + [other] * 1022:
            new(words, queries)
        return model(other, queries), new(other, queries)
