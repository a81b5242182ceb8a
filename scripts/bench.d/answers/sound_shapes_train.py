"""Trains a small CNN to tell drawn shapes apart and reports the accuracy on held-out images.

Sound: nothing is wrong. Images live in one tensor and are batched by indexing, losses are collected
    without their graph and read once per epoch, evaluation runs under inference_mode, all cores are
    used. The time goes to the convolutions.
"""
import os
import time

import torch
from torch import nn
from torch.nn import functional as F

SIZE, KINDS = 32, 4


def draw(n, seed):
    """Discs, squares, crosses and rings at random places with noise, all drawn by broadcasting."""
    gen = torch.Generator().manual_seed(seed)
    y = torch.randint(0, KINDS, (n,), generator=gen)
    centre = torch.rand(n, 2, 1, 1, generator=gen) * 12 + 10
    radius = torch.rand(n, 1, 1, generator=gen) * 4 + 4
    grid = torch.stack(torch.meshgrid(torch.arange(SIZE), torch.arange(SIZE), indexing="ij")).float()
    d = grid - centre
    r, a = d.norm(dim=1), d.abs()
    forms = torch.stack([
        r < radius,
        a.amax(1) < radius,
        (a.amin(1) < 1.5) & (a.amax(1) < radius),
        (r < radius) & (r > radius - 2),
    ], 1).float()
    x = forms[torch.arange(n), y]
    return (x + 0.3 * torch.randn(x.shape, generator=gen)).unsqueeze(1), y


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        def block(i, o):
            return nn.Sequential(nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU(), nn.MaxPool2d(2))
        self.body = nn.Sequential(block(1, 24), block(24, 48), block(48, 96))
        self.head = nn.Sequential(nn.Flatten(), nn.Dropout(0.2), nn.Linear(96 * 16, KINDS))

    def forward(self, x):
        return self.head(self.body(x))


def train_epoch(net, x, y, opt, sched, batch=128):
    net.train()
    losses = []
    for idx in torch.randperm(len(x)).split(batch):
        opt.zero_grad(set_to_none=True)
        loss = F.cross_entropy(net(x[idx]), y[idx])
        loss.backward()
        opt.step()
        sched.step()
        losses.append(loss.detach())
    return torch.stack(losses).mean().item()


@torch.inference_mode()
def accuracy(net, x, y):
    net.eval()
    right = sum((net(xb).argmax(1) == yb).sum() for xb, yb in zip(x.split(256), y.split(256)))
    return right.item() / len(y)


def main():
    start = time.perf_counter()
    torch.manual_seed(0)
    torch.set_num_threads(os.cpu_count())
    x, y = draw(3500, 1)
    tx, ty = draw(600, 2)
    net = Net()
    opt = torch.optim.AdamW(net.parameters(), lr=2e-3)
    epochs = 2
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, 4e-3, total_steps=epochs * ((len(x) + 127) // 128))
    for epoch in range(epochs):
        loss = train_epoch(net, x, y, opt, sched)
        print(f"epoch {epoch}: loss {loss:.4f}, test accuracy {accuracy(net, tx, ty):.3f}")
    print(f"total {time.perf_counter() - start:.2f}")


if __name__ == "__main__":
    main()
