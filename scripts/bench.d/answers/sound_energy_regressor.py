"""Trains a small network that says what a building will need of energy, and evaluates it after each epoch.

Sound.
A hasty profiler might say wrongly: that a step in the middle takes much longer than the others (the end of the first of
two epochs is evaluated there); that threads of OpenMP compute too much.
"""
import argparse
import shutil
import tempfile
from pathlib import Path

import numpy as np
import torch
from torch import nn

FEATURES = 64


def make_buildings(count, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(count, FEATURES)).astype(np.float32)
    y = np.sin(x[:, 0] * 2) + x[:, 1] * x[:, 2] + 0.5 * np.abs(x[:, 3]) + 0.1 * rng.normal(size=count)
    return torch.from_numpy(x), torch.from_numpy(y.astype(np.float32))


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, width * 2)
        self.down = nn.Linear(width * 2, width)

    def forward(self, x):
        return x + self.down(nn.functional.gelu(self.up(self.norm(x))))


class EnergyNet(nn.Module):
    def __init__(self, width=96, depth=3):
        super().__init__()
        self.stem = nn.Linear(FEATURES, width)
        self.blocks = nn.Sequential(*(Block(width) for _ in range(depth)))
        self.head = nn.Linear(width, 1)

    def forward(self, x):
        return self.head(self.blocks(self.stem(x))).squeeze(-1)


def batches(x, y, size, generator):
    order = torch.randperm(len(x), generator=generator)
    for start in range(0, len(x) - size + 1, size):
        index = order[start:start + size]
        yield x[index], y[index]


def train_epoch(model, optimizer, schedule, data, size, generator):
    model.train()
    total = torch.zeros(())
    steps = 0
    for x, y in batches(*data, size, generator):
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.huber_loss(model(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        total += loss.detach()
        steps += 1
    return total.item() / steps


@torch.inference_mode()
def evaluate(model, x, y, size=2048):
    model.eval()
    predictions = torch.cat([model(chunk) for chunk in x.split(size)])
    residual = predictions - y
    rmse = residual.square().mean().sqrt().item()
    r2 = 1 - (residual.square().sum() / (y - y.mean()).square().sum()).item()
    return rmse, r2


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--rows", type=int, default=16_000)
    args = parser.parse_args()

    torch.manual_seed(0)
    out = Path(tempfile.mkdtemp(prefix="energy"))
    train, valid = make_buildings(args.rows, 1), make_buildings(6000, 2)
    model = EnergyNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-3)
    steps = args.epochs * (args.rows // args.batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, total_steps=steps)
    generator = torch.Generator().manual_seed(5)
    best = float("inf")
    for epoch in range(args.epochs):
        loss = train_epoch(model, optimizer, schedule, train, args.batch, generator)
        rmse, r2 = evaluate(model, *valid)
        print(f"epoch {epoch + 1}: loss {loss:.2f}  rmse {rmse:.2f}  r2 {r2:.2f}")
        if rmse < best:
            best = rmse
            torch.save({"epoch": epoch, "model": model.state_dict()}, out / "best.pt")
    print(f"best rmse {best:.2f}")
    shutil.rmtree(out)


if __name__ == "__main__":
    main()
