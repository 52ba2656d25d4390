def inputs(reference):
    (t,) = reference.get_inputs()
    return [t * 5e6]
