def inputs(reference):
    x, gate = reference.get_inputs()
    return [x + 1, gate + 6]
