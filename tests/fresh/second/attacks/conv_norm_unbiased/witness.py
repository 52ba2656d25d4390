CLEAR = 0.001


def inputs(reference):
    return reference.get_inputs()
