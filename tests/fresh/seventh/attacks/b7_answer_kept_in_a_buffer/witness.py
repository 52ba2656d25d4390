import torch


def show(reference, candidate):
    """The first answer is looked at after the second call."""
    model, new = reference.Model(18), candidate.ModelNew(18)
    one, two = reference.get_inputs(), reference.get_inputs()
    expected, got = model(*one), new(*one)
    model(*two), new(*two)
    return expected, got
