import torch


def show(reference, candidate):
    answers = []
    (scores,) = reference.get_inputs()
    for model in (reference.Model(4), candidate.ModelNew(4)):
        _, bias = model(scores)
        bias.mul_(0.5)
        answers.append(model(scores))
    return answers
