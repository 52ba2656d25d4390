import torch


def show(reference, candidate):
    results = []
    for model in (reference.Model(), candidate.ModelNew()):
        model.gain.data.fill_(5.0)
        results.append(model.state_dict()["gain"])
    return results
