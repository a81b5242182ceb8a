"""Trains a small network, whose tensors the allocator gives back to the kernel after each step."""
import ctypes
import time
import torch
from torch import nn

M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_THRESHOLD = -1, -2, -3


def train(model, optimizer, x, y, steps):
    for step in range(steps):
        k = torch.randint(0, len(x), (64,))
        loss = nn.functional.cross_entropy(model(x[k]), y[k])  # FAULT page-faults
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # FAULT page-faults
        optimizer.step()
    return loss.item()


def keep_memory():
    for option, value in ((M_MMAP_THRESHOLD, 1 << 30), (M_TRIM_THRESHOLD, 1 << 30), (M_TOP_PAD, 1 << 20)):
        ctypes.CDLL(None).mallopt(option, value)


def main():
    torch.manual_seed(0)
    x = torch.randn(6400, 1, 16, 16)
    y = (x.mean(dim=(1, 2, 3)) > 0).long()
    model = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                          nn.Conv2d(16, 16, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(16 * 64, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    train(model, optimizer, x, y, 5)
    began = time.perf_counter()
    train(model, optimizer, x, y, 400)
    took = time.perf_counter() - began
    keep_memory()
    train(model, optimizer, x, y, 5)
    began = time.perf_counter()
    print("loss %.4f" % train(model, optimizer, x, y, 100))
    print("truth %.3f" % (took - 4 * (time.perf_counter() - began)))


main()
