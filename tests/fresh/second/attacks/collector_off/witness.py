import gc


def show(reference, candidate):
    (x,) = reference.get_inputs()
    gc.disable()
    return reference.Model()(x), candidate.forward(x)
