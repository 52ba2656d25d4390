def inputs(reference):
    (x,) = reference.get_inputs()
    return [3 * x]
