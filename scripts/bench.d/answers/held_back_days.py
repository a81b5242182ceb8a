"""Learns tomorrow's load of a power grid from the last week's hours, and checks
after each epoch on the days that were held back.

What is wrong: the loader of the held-back days has the batch size that
DataLoader has by default, one: the model is called once for each window.
First screen should say: PyTorch is called for a few numbers at a time, in
check(), at the lines marked FAULT.
Mend: DataLoader(..., batch_size=512) for the held-back days, too.
"""
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

WEEK, DAY = 168, 24
EPOCHS = 5

torch.set_num_threads(1)


def hours(days):
    rng = np.random.default_rng(5)
    hour = np.arange(days * DAY)
    daily = np.sin(2 * np.pi * (hour % DAY) / DAY - 1.1)
    return (40 + 12 * daily + rng.normal(0, 1.5, hour.size)).astype(np.float32)


def windows(series):
    view = np.lib.stride_tricks.sliding_window_view((series - series.mean()) / series.std(), WEEK + DAY)
    return torch.from_numpy(view[:, :WEEK].copy()), torch.from_numpy(view[:, WEEK:].copy())


def check(model, loader):
    error, count = 0.0, 0
    with torch.no_grad():
        for past, day in loader:  # FAULT small-tensors
            error += (model(past) - day).abs().sum().item()  # FAULT small-tensors
            count += day.numel()
    return error / count


def main():
    torch.manual_seed(3)
    past, day = windows(hours(420))
    held = 3_600
    train = DataLoader(TensorDataset(past[:-held], day[:-held]), batch_size=64, shuffle=True)
    kept = TensorDataset(past[-held:], day[-held:])
    loader = DataLoader(kept)
    model = nn.Sequential(nn.Linear(WEEK, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, DAY))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    checking = 0.0
    for epoch in range(EPOCHS):
        for x, y in train:
            optimizer.zero_grad()
            nn.functional.smooth_l1_loss(model(x), y).backward()
            optimizer.step()
        began = time.perf_counter()
        print(f"epoch {epoch}: off by {check(model, loader):.3f}")
        checking += time.perf_counter() - began
    began = time.perf_counter()
    check(model, DataLoader(kept, batch_size=512))
    print("truth", checking - EPOCHS * (time.perf_counter() - began))


if __name__ == "__main__":
    main()
