import torch


def inputs(reference):
    torch.manual_seed(0)
    anchors = reference.Model().anchors.detach()
    return [torch.cat([anchors, torch.randn(8, 16)])]
