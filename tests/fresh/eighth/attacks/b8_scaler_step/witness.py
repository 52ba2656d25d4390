def inputs(reference):
    given = reference.get_inputs()
    given[2][301] = float("inf")
    return given
