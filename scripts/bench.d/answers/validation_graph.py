"""Trains an epoch, then validates."""
import resource
import time
import torch
from torch import nn


def rss():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * resource.getpagesize()


def data(n, seed):
    g = torch.Generator().manual_seed(seed)
    for _ in range(n):
        x = torch.randn(64, 1, 28, 28, generator=g)
        yield x, (x.mean(dim=(1, 2, 3)) > 0).long()


def build():
    return nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(16 * 14 * 14, 2))


def train_epoch(model, opt, n):
    for x, y in data(n, 1):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        opt.step()


def validate(model, n):
    model.eval()
    total = 0
    for x, y in data(n, 2):
        total = total + nn.functional.cross_entropy(model(x), y)  # FAULT host-memory-grows kept-graphs
    return total / n


def main():
    torch.manual_seed(0)
    model = build()
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    train_epoch(model, opt, 70)
    before = rss()
    val = validate(model, 110)
    grown = rss() - before
    print("val %.4f" % val.item())
    print("truth %d bytes" % grown)


main()
