import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, q, k, v):
        q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
        return F.scaled_dot_product_attention(q, k, v, enable_gqa=True).transpose(1, 2).contiguous()


def get_inputs():
    return [torch.randn(2, 19, 4, 16), torch.randn(2, 27, 2, 16), torch.randn(2, 27, 2, 16)]


def get_init_inputs():
    return []
