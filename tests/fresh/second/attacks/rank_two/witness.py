import os


def show(reference, candidate):
    (x,) = reference.get_inputs()
    os.environ["RANK"] = "2"
    return reference.Model()(x), candidate.forward(x)
