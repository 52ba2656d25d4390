CLEAR = 0.005


def inputs(reference):
    return reference.get_inputs()
