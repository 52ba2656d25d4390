import torch


def show(reference, candidate):
    left = []
    for model in (reference.Model(), candidate.ModelNew()):
        with torch.no_grad():
            for number in range(4):
                model(torch.full((32, 16), float(number)))
        left.append(model.norm.running_mean.clone())
    return left
