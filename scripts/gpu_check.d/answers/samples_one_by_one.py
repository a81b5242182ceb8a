"""Ranks candidates whose features come as lists, one tensor for each."""
import torch
from torch import nn


def batch(random, n=256):
    rows = [[random.random() for _ in range(16)] for _ in range(n)]
    return torch.stack([torch.tensor(row).to("cuda") for row in rows])  # FAULT tiny-copies


def main():
    import random

    torch.manual_seed(0)
    random.seed(0)
    net = nn.Sequential(nn.Linear(16, 256), nn.ReLU(), nn.Linear(256, 1)).cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
    for step in range(200):
        x = batch(random)
        optimizer.zero_grad()
        loss = net(x).square().mean()
        loss.backward()
        optimizer.step()
    print("loss %.4f" % loss)


main()
