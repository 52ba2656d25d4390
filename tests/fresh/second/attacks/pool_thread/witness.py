from concurrent.futures import ThreadPoolExecutor


def show(reference, candidate):
    (x,) = reference.get_inputs()
    with ThreadPoolExecutor(1) as pool:
        return reference.Model()(x), pool.submit(candidate.forward, x).result()
