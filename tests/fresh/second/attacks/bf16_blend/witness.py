def inputs(reference):
    return reference.get_inputs()
