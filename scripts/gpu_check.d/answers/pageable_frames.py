"""Fits a small network to frames that lie in host memory."""
import torch
from torch import nn


def frames(n):
    return [torch.rand(32, 3, 384, 384) for _ in range(n)]


def main():
    torch.manual_seed(0)
    pool = frames(6)
    net = nn.Sequential(nn.Conv2d(3, 32, 5, 4), nn.ReLU(), nn.Conv2d(32, 64, 3, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                        nn.Linear(64, 10)).cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
    target = torch.randint(10, (32,), device="cuda")
    for step in range(250):
        x = pool[step % len(pool)].to("cuda")  # FAULT pageable-copies
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(x), target)
        loss.backward()
        optimizer.step()
    print("loss %.4f" % loss)


main()
