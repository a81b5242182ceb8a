"""Forecast the next day's load of a feeder from the week before it.

The feeder has a number of measured channels (load, weather, neighbours) at
hourly steps.  A two-layer network sees one week of all channels and gives the
next 24 values of the load; a hold-out of the last weeks is scored at the end.

The weeks overlap, and all of them are copied out of the series.
"""
import argparse
import math

import numpy as np
import torch
from torch import nn

HOURS_PER_DAY = 24
WINDOW = 7 * HOURS_PER_DAY
HORIZON = HOURS_PER_DAY


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hours", type=int, default=36_000)
    parser.add_argument("--channels", type=int, default=14)
    parser.add_argument("--hidden", type=int, default=24)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--holdout", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=3)
    return parser.parse_args()


def make_series(hours, channels, seed):
    """Daily and weekly rhythm with a slow drift, one phase per channel."""
    rng = np.random.default_rng(seed)
    t = np.arange(hours, dtype=np.float32)[:, None]
    phase = rng.uniform(0, 2 * math.pi, size=(1, channels)).astype(np.float32)
    daily = np.sin(2 * math.pi * t / HOURS_PER_DAY + phase)
    weekly = 0.5 * np.sin(2 * math.pi * t / WINDOW + 2 * phase)
    noise = rng.normal(0, 0.2, size=(hours, channels)).astype(np.float32)
    series = daily + weekly + noise + t / hours
    return torch.from_numpy(series.astype(np.float32))


def normalise(series):
    mean = series.mean(dim=0, keepdim=True)
    std = series.std(dim=0, keepdim=True)
    return (series - mean) / std


class WindowData:
    """All (week, next day) examples of one series."""

    def __init__(self, series):
        count = len(series) - WINDOW - HORIZON + 1
        self.inputs = torch.stack([series[i:i + WINDOW] for i in range(count)])  # FAULT window-copies
        self.targets = series[WINDOW:, 0].unfold(0, HORIZON, 1)

    def __len__(self):
        return len(self.targets)

    def batch(self, indices):
        return self.inputs[indices], self.targets[indices]


class Forecaster(nn.Module):
    def __init__(self, channels, hidden):
        super().__init__()
        self.encode = nn.Linear(WINDOW * channels, hidden)
        self.decode = nn.Linear(hidden, HORIZON)

    def forward(self, week):
        hidden = torch.relu(self.encode(week.flatten(1)))
        return self.decode(hidden)


def train_epoch(model, data, indices, optimizer, batch_size):
    loss_sum = 0.0
    for part in indices.split(batch_size):
        week, day = data.batch(part)
        loss = nn.functional.mse_loss(model(week), day)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        loss_sum += loss.item() * len(part)
    return loss_sum / len(indices)


@torch.no_grad()
def holdout_error(model, data, indices, batch_size):
    total = 0.0
    for part in indices.split(batch_size):
        week, day = data.batch(part)
        total += (model(week) - day).abs().mean(dim=1).sum().item()
    return total / len(indices)


def main():
    args = parse_args()
    torch.manual_seed(args.seed)
    series = normalise(make_series(args.hours, args.channels, args.seed))
    data = WindowData(series)

    train_count = len(data) - args.holdout
    train_indices = torch.randperm(train_count)
    holdout_indices = torch.arange(train_count, len(data))

    model = Forecaster(args.channels, args.hidden)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    for epoch in range(args.epochs):
        loss = train_epoch(model, data, train_indices, optimizer, args.batch_size)
        print(f"epoch {epoch}: loss {loss:.4f}")
    error = holdout_error(model, data, holdout_indices, args.batch_size)
    print(f"examples {len(data)}  hold-out error {error:.4f}")
    print("truth %d bytes" % (data.inputs.numel() * 4 - series.numel() * 4))


if __name__ == "__main__":
    main()
