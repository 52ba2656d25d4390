def inputs(reference):
    feat, points = reference.get_inputs()
    return [feat, points * 0.1 - 0.9]
