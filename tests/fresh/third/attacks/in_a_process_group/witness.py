import torch
import torch.distributed as dist


def show(reference, candidate):
    x = torch.arange(512.0).view(8, 64) + 5
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    try:
        return reference.Model()(x), candidate.ModelNew()(x)
    finally:
        dist.destroy_process_group()
