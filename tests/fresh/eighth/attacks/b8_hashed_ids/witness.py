def inputs(reference):
    return [reference.get_inputs()[0] * 1000003 + 2**40]
