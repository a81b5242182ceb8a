"""Fits a small network to a table of flats (size, age, place, ...) that is in memory as two tensors.

What is wrong: the loader takes the samples of the tensors one by one and stacks them again to batches, which takes far
longer than the training of the small network.
First screen should say: most of the time is in the DataLoader's fetch (TensorDataset.__getitem__ for each sample and
default_collate stacking them), not in the network: index the tensors by whole batches.
Mend: no DataLoader: take torch.randperm for each epoch and index the tensors with slices of it.
"""
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

FLATS = 40_000
BATCH = 400
EPOCHS = 12


def flats():
    draw = torch.Generator().manual_seed(9)
    x = torch.randn(FLATS, 12, generator=draw)
    price = 3 * x[:, 0] - x[:, 1] * x[:, 2] + torch.tanh(x[:, 3] * 2) + 0.1 * torch.randn(FLATS, generator=draw)
    return x, price


class Shuffled:
    """Another order of the samples for each epoch."""

    def __init__(self, seed):
        self.draw = torch.Generator().manual_seed(seed)

    def __len__(self):
        return FLATS

    def __iter__(self):
        return iter(torch.randperm(FLATS, generator=self.draw).tolist())


def loader(table):
    return DataLoader(table, batch_size=BATCH, sampler=Shuffled(2))  # FAULT waiting-for-data


class Meter:
    """Passes the batches on and keeps the time that the loader takes for them."""

    def __init__(self, batches):
        self.batches = batches
        self.spent = 0.0

    def __iter__(self):
        batches = iter(self.batches)
        while True:
            began = time.perf_counter()
            batch = next(batches, None)
            self.spent += time.perf_counter() - began
            if batch is None:
                return
            yield batch


class Model(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(12, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1))

    def forward(self, x):
        return self.layers(x).squeeze(1)


def fit(model, batches):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
    for epoch in range(EPOCHS):
        total = 0.0
        for x, price in batches:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x), price)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(x)
        if epoch % 3 == 2:
            print("epoch %2d loss %.4f" % (epoch, total / FLATS))


def main():
    torch.manual_seed(1)
    torch.set_num_threads(1)
    meter = Meter(loader(TensorDataset(*flats())))
    fit(Model(), meter)
    print("truth %.3f" % meter.spent)


main()
