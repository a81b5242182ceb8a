"""Trains a classifier of server log lines (hashed trigrams, padded to a fixed
length) and checks it on held-out lines.

What is wrong: LogLines.__getitem__ hands out Python lists; the loader's
default collate then turns a batch of lists into one tensor PER POSITION (and
the loop stacks them again).
First screen should say: the loop waits for its data: default_collate of lists
makes some 400 small tensors per batch; own line the return of __getitem__ (or
the `for` over the loader); some quarter of the run.
Mend: return a tensor (torch.from_numpy) from __getitem__.
"""
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.set_num_threads(1)

LINES = 4_096
LENGTH = 256
BUCKETS = 4_096
EPOCHS = 4
LEVELS = 5


def make_lines(seed):
    """Lines of words; the words of a level come more often in its lines."""
    rng = np.random.default_rng(seed)
    level = rng.integers(0, LEVELS, LINES)
    letters = rng.integers(97, 123, size=(LINES, LENGTH + 2))
    marks = np.array([[101, 114, 114], [119, 97, 114], [105, 110, 102], [100, 98, 103], [116, 114, 99]])
    for spot in range(0, LENGTH, 32):
        letters[:, spot:spot + 3] = marks[level]
    return letters, level


def hash_trigrams(letters):
    value = letters[:, :-2] * 961 + letters[:, 1:-1] * 31 + letters[:, 2:]
    return (value * 2654435761 % (1 << 32)) % BUCKETS


class LogLines(Dataset):
    def __init__(self, seed):
        letters, level = make_lines(seed)
        self.ids = hash_trigrams(letters)
        self.level = level

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, number):
        return {"ids": self.ids[number].tolist(), "level": int(self.level[number])}  # FAULT waiting-for-data


class LogModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(BUCKETS, 16)
        self.conv = nn.Conv1d(16, 24, 3, padding=1)
        self.out = nn.Linear(24, LEVELS)

    def forward(self, ids):
        x = self.table(ids).transpose(1, 2)
        return self.out(torch.relu(self.conv(x)).amax(dim=2))


def as_matrix(ids):
    return torch.stack(ids, dim=1) if isinstance(ids, list) else ids


class Run:
    def __init__(self, model):
        self.model = model
        self.waited = 0.0
        self.rule = nn.CrossEntropyLoss()
        self.opt = torch.optim.Adam(model.parameters(), lr=3e-3)

    def feed(self, loader):
        it = iter(loader)
        while True:
            began = time.perf_counter()
            batch = next(it, None)
            if batch is None:
                return
            ids = as_matrix(batch["ids"])
            self.waited += time.perf_counter() - began
            yield ids, batch["level"]

    def train_epoch(self, loader):
        self.model.train()
        total = 0.0
        for ids, level in self.feed(loader):
            self.opt.zero_grad()
            loss = self.rule(self.model(ids), level)
            loss.backward()
            self.opt.step()
            total += loss.item()
        return total / len(loader)

    @torch.no_grad()
    def check(self, loader):
        self.model.eval()
        right = sum(int((self.model(ids).argmax(1) == level).sum()) for ids, level in self.feed(loader))
        return right / len(loader.dataset)


def main():
    torch.manual_seed(1)
    run = Run(LogModel())
    train = DataLoader(LogLines(1), batch_size=64, shuffle=True)
    test = DataLoader(LogLines(2), batch_size=64)
    for epoch in range(EPOCHS):
        loss = run.train_epoch(train)
        print(f"epoch {epoch}  loss {loss:.4f}  held out {run.check(test):.3f}")
    print(f"truth {run.waited:.3f}")


if __name__ == "__main__":
    main()
