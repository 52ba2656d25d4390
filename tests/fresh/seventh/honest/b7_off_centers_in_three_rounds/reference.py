import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, points, centers):
        points = points.nan_to_num(0.0, 9.0, -9.0)
        centers = centers.nan_to_num(0.0, 9.0, -9.0)
        for _ in range(3):
            near = (points[:, None] - centers).square().sum(-1).argmin(1)
            hits = F.one_hot(near, centers.shape[0]).float()
            count = hits.sum(0)[:, None]
            centers = torch.where(count > 0, hits.T @ points / count.clamp(min=1), centers)
        return centers


def get_inputs():
    points = torch.randint(-40, 40, (40, 3)).float() / 8
    return [points, points[:5].clone()]


def get_init_inputs():
    return []
