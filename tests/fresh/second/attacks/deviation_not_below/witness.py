def inputs(reference):
    (x,) = reference.get_inputs()
    return [x * 1e-9]
