"""Fit a small network to a noisy function, with early stopping on a validation set.

Sound: nothing is wrong. Batches come from tensors in memory, the loss is read
once per epoch, validation runs under no_grad in eval mode; the time is the
matrix products of forward and backward.
First screen should say: the time is training (linear layers, backward, step); no fault found.
"""
import math
import os
import time

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # the machine is shared: no spinning
import torch
from torch import nn

torch.set_num_threads(2)


def make_data(n, seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.rand(n, 6, generator=g) * 2 - 1
    y = torch.sin(3 * x[:, 0]) * x[:, 1] + x[:, 2] ** 2 - torch.exp(-x[:, 3].abs()) * x[:, 4]
    return x, (y + 0.05 * torch.randn(n, generator=g)).unsqueeze(1)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.a, self.b = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, x):
        return x + self.b(torch.relu(self.a(self.norm(x))))


def network(width=48, depth=3):
    return nn.Sequential(nn.Linear(6, width), *[Block(width) for _ in range(depth)], nn.Linear(width, 1))


def batches(x, y, size, generator):
    order = torch.randperm(len(x), generator=generator)
    for part in order.split(size):
        yield x[part], y[part]


@torch.no_grad()
def validate(net, x, y):
    net.eval()
    loss = nn.functional.mse_loss(net(x), y).item()
    net.train()
    return loss


class EarlyStop:
    def __init__(self, patience):
        self.best, self.left, self.patience = math.inf, patience, patience

    def done(self, loss):
        if loss < self.best - 1e-5:
            self.best, self.left = loss, self.patience
        else:
            self.left -= 1
        return self.left <= 0


def main():
    torch.manual_seed(0)
    x, y = make_data(5000, 1)
    vx, vy = make_data(1500, 2)
    net, g = network(), torch.Generator().manual_seed(3)
    opt = torch.optim.AdamW(net.parameters(), 2e-3)
    plan = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 16)
    stop, t0 = EarlyStop(5), time.perf_counter()
    for epoch in range(14):
        total = torch.zeros(())
        for bx, by in batches(x, y, 200, g):
            loss = nn.functional.mse_loss(net(bx), by)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            total += loss.detach() * len(bx)
        plan.step()
        held_out = validate(net, vx, vy)
        if stop.done(held_out):
            break
    print("epoch %d train %.4f held out %.4f in %.2f s" % (epoch, total.item() / len(x), held_out, time.perf_counter() - t0))


if __name__ == "__main__":
    main()
