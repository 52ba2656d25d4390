import torch


def prepare(model):
    model.bucket.copy_((model.bucket + 3) % 8)


def inputs(reference):
    return [torch.randn(4, 16, 16)]
