def inputs(reference):
    density, colour, step = reference.get_inputs()
    density = density * 0
    density[:, 3] = 80.0
    density[:, 20] = 10.0
    colour[:, 20:] += 50000.0
    return [density, colour, step * 0 + 0.1]
