"""Trains large layers in single precision, on units that are made for less."""
import torch
from torch import nn


def main():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4096, 16384), nn.GELU(), nn.Linear(16384, 4096)).cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
    x = torch.randn(4096, 4096, device="cuda")
    for step in range(60):
        optimizer.zero_grad()
        loss = (net(x) - x).square().mean()  # FAULT tensor-cores-unused
        loss.backward()
        optimizer.step()
    print("loss %.4f" % loss)


main()
