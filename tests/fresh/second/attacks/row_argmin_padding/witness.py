def inputs(reference):
    (x,) = reference.get_inputs()
    return [x + 20000]
