"""Churn model on usage profiles: a small residual network trained through a DataLoader.

What is wrong: Dataset returns rows as Python lists, so default_collate transposes and makes one tensor per
feature.
Mend: Return torch.from_numpy(row).
"""
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

FEATURES = 512


class UsageProfiles(Dataset):
    def __init__(self, rows, labels):
        self.rows = rows
        self.labels = labels

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index].tolist(), self.labels[index]  # FAULT waiting-for-data
class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.GELU(), nn.Linear(width, width))

    def forward(self, x):
        return x + self.body(x)


class ChurnNet(nn.Module):
    def __init__(self, features, width, depth):
        super().__init__()
        self.enter = nn.Linear(features, width)
        self.blocks = nn.Sequential(*(Residual(width) for _ in range(depth)))
        self.leave = nn.Linear(width, 1)

    def forward(self, x):
        return self.leave(torch.relu(self.blocks(self.enter(x)))).squeeze(-1)


def usage_table(customers, seed):
    rng = np.random.default_rng(seed)
    table = rng.standard_normal((customers, FEATURES), dtype=np.float32)
    weights = rng.standard_normal(FEATURES, dtype=np.float32) / 16
    churned = table @ weights + 0.3 * table[:, 0] * table[:, 1] + rng.normal(0, 0.4, customers) > 0.4
    return table, churned.astype(np.float32)


def as_matrix(columns):
    if isinstance(columns, torch.Tensor):
        return columns
    return torch.stack(columns, dim=1).float()


class Session:
    def __init__(self, model, lr):
        self.model = model
        self.loss = nn.BCEWithLogitsLoss()
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
        self.feeding = 0.0
        self.batches = 0

    def feed(self, loader):
        source = iter(loader)
        while True:
            began = time.perf_counter()
            batch = next(source, None)
            if batch is None:
                return
            x, y = as_matrix(batch[0]), batch[1].float()
            self.feeding += time.perf_counter() - began
            self.batches += 1
            yield x, y

    def train(self, loader):
        self.model.train()
        total = torch.zeros(())
        for x, y in self.feed(loader):
            self.optimizer.zero_grad(set_to_none=True)
            loss = self.loss(self.model(x), y)
            loss.backward()
            self.optimizer.step()
            total += loss.detach()
        return total.item() / len(loader)

    @torch.no_grad()
    def accuracy(self, loader):
        self.model.eval()
        right = seen = 0
        for x, y in self.feed(loader):
            right += int(((self.model(x) > 0) == (y > 0.5)).sum())
            seen += len(y)
        return right / seen


def lean_feed(table, labels, size, rounds):
    rows = torch.from_numpy(table)
    began = time.perf_counter()
    for start in range(0, rounds * size, size):
        samples = [(rows[i], labels[i]) for i in range(start, start + size)]
        torch.utils.data.default_collate(samples)
    return (time.perf_counter() - began) / rounds


def main():
    torch.manual_seed(2)
    table, labels = usage_table(12_000, seed=11)
    order = torch.Generator().manual_seed(4)
    train = DataLoader(UsageProfiles(table[:10_000], labels[:10_000]), 128, shuffle=True, generator=order)
    test = DataLoader(UsageProfiles(table[10_000:], labels[10_000:]), 128)
    session = Session(ChurnNet(FEATURES, width=48, depth=2), lr=1e-3)
    for epoch in range(4):
        loss = session.train(train)
        print(f"epoch {epoch} loss {loss:.4f} accuracy {session.accuracy(test):.4f}")
    lean = lean_feed(table, labels, 128, rounds=20)
    print(f"truth {session.feeding - session.batches * lean:.3f}")


if __name__ == "__main__":
    main()
