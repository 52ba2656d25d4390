CLEAR = 0.002


def inputs(reference):
    return reference.get_inputs()
