import torch


def inputs(reference):
    pcm = reference.get_inputs()[0]
    pcm[:, 9] = -32768
    return [pcm]
