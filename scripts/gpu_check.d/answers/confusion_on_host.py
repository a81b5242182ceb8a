"""Trains a classifier of pixels and counts its confusions in Python."""
import time

import torch
from torch import nn

spent = 0.0


def count(confusion, predicted, target):
    global spent
    predicted, target = predicted.tolist(), target.tolist()
    began = time.perf_counter()
    for p, t in zip(predicted, target):  # FAULT python-loop device-idle
        confusion[t][p] += 1  # FAULT python-loop device-idle
    spent += time.perf_counter() - began


def main():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(3, 64, 3, padding=1), nn.ReLU(), nn.Conv2d(64, 8, 1)).cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-2)
    x = torch.randn(8, 3, 96, 96, device="cuda")
    target = torch.randint(8, (8, 96, 96), device="cuda")
    confusion = [[0] * 8 for _ in range(8)]
    for step in range(150):
        optimizer.zero_grad()
        out = net(x)
        loss = nn.functional.cross_entropy(out, target)
        loss.backward()
        optimizer.step()
        count(confusion, out.argmax(1).flatten(), target.flatten())
    print("loss %.4f, right %d" % (loss, sum(confusion[i][i] for i in range(8))))
    print("truth %.3f" % spent)


main()
