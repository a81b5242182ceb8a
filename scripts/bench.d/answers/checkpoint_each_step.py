"""Fits an MLP and keeps a checkpoint."""
import os
import time
import torch
from torch import nn

saving = 0.0


def build():
    return nn.Sequential(nn.Embedding(4000, 300), nn.Flatten(), nn.Linear(4800, 64), nn.ReLU(), nn.Linear(64, 10))


def batch(i, n=64):
    g = torch.Generator().manual_seed(i)
    x = torch.randint(0, 4000, (n, 16), generator=g)
    return x, x[:, :10].argmax(dim=1)


def checkpoint(model, opt, step):
    global saving
    t = time.perf_counter()
    torch.save({"model": model.state_dict(), "opt": opt.state_dict(), "step": step}, "last.pt")  # FAULT checkpoints
    saving += time.perf_counter() - t


def train(steps):
    model = build()
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    loss_fn = nn.CrossEntropyLoss()
    for step in range(steps):
        x, y = batch(step)
        opt.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        opt.step()
        checkpoint(model, opt, step)
    return loss.item()


def main():
    torch.manual_seed(0)
    print("loss %.4f" % train(36))
    print("truth %.3f" % saving)


main()
