"""Takes features of many images and keeps them on the host."""
import torch
from torch import nn


@torch.no_grad()
def main():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(3, 64, 3, 2), nn.ReLU(), nn.Conv2d(64, 128, 3, 2), nn.ReLU()).cuda().eval()
    x = torch.rand(64, 3, 256, 256, device="cuda")
    kept = None
    for step in range(120):
        features = net(x)
        kept = features.cpu()  # FAULT pageable-copies
    print("mean %.4f" % kept.mean())


main()
