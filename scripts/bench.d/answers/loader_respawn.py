"""Trains a small classifier of tones for many short epochs with a DataLoader that has two workers.

What is wrong: the loader starts its worker processes anew for every epoch and ends them after eight batches; starting
and joining them takes longer than the epoch's training.
First screen should say: most of the time the main process starts and waits for DataLoader workers: iter(loader) forks two
processes at each of the epochs (_MultiProcessingDataLoaderIter.__init__ and _shutdown_workers).
Mend: DataLoader(..., persistent_workers=True).
"""
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

EPOCHS = 60


class Tones(Dataset):
    """Noisy tones, one of eight pitches; each is made when it is asked for."""

    def __init__(self, count, length=256):
        self.count = count
        self.time = torch.arange(length) / length
        draw = torch.Generator().manual_seed(1)
        self.noise = torch.randn(count, length, generator=draw) * 0.9
        self.phase = torch.rand(count, generator=draw) * 6.28

    def __len__(self):
        return self.count

    def __getitem__(self, number):
        pitch = number % 8
        wave = torch.sin(self.time * 6.28 * (4 + 3 * pitch) + self.phase[number])
        return wave + self.noise[number], pitch


class Trainer:
    def __init__(self, model, loader):
        self.model = model
        self.loader = loader
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.9)
        self.loss = nn.CrossEntropyLoss()
        self.lost = 0.0

    def batches(self):
        began = time.perf_counter()
        batches = iter(self.loader)
        for batch in batches:  # FAULT waiting-for-data slow-steps
            if began:
                self.lost += time.perf_counter() - began  # until the first batch
                began = None
            yield batch
            ended = time.perf_counter()
        del batches
        self.lost += time.perf_counter() - ended

    def epoch(self):
        total = count = 0
        for waves, pitches in self.batches():
            self.optimizer.zero_grad()
            loss = self.loss(self.model(waves.unsqueeze(1)), pitches)
            loss.backward()
            self.optimizer.step()
            total += loss.item() * len(pitches)
            count += len(pitches)
        return total / count


def main():
    torch.manual_seed(3)
    torch.set_num_threads(1)
    model = nn.Sequential(
        nn.Conv1d(1, 8, 33, stride=4), nn.ReLU(), nn.Conv1d(8, 16, 9, stride=2), nn.ReLU(),
        nn.AdaptiveMaxPool1d(1), nn.Flatten(), nn.Linear(16, 8),
    )
    loader = DataLoader(Tones(128), batch_size=16, num_workers=2)  # FAULT waiting-for-data slow-steps
    trainer = Trainer(model, loader)
    for epoch in range(EPOCHS):
        loss = trainer.epoch()
        if epoch % 12 == 11:
            print("epoch %2d loss %.4f" % (epoch, loss))
    print("truth %.3f" % trainer.lost)


main()
