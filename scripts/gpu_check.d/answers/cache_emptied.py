"""Trains, and gives all cached memory back after each step."""
import time

import torch
from torch import nn

spent = 0.0


def release():
    global spent
    began = time.perf_counter()
    torch.cuda.empty_cache()  # FAULT driver-allocations
    spent += time.perf_counter() - began


def main():
    torch.manual_seed(0)
    net = nn.Sequential(*[layer for _ in range(12) for layer in (nn.Conv2d(32, 32, 3, padding=1), nn.ReLU())]).cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-4)
    x = torch.randn(64, 32, 96, 96, device="cuda")
    for step in range(120):
        optimizer.zero_grad()
        loss = net(x).square().mean()
        loss.backward()
        optimizer.step()
        release()
    print("loss %.4f" % loss)
    print("truth %.3f" % spent)


main()
