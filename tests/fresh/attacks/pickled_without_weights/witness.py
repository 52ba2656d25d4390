import pickle

import torch


def show(reference, candidate):
    results = []
    for model in (reference.Model(), candidate.ModelNew()):
        model.gain.data.fill_(5.0)
        results.append(pickle.loads(pickle.dumps(model)).gain.detach())
    return results
