"""Trains a two-tower click model for a web shop: user id and product ids go
through one big id table, a small head scores the pair.

What is wrong: the id table (600 000 rows) is an nn.Embedding with dense
gradients; every step fills, updates and clears 600 000 rows although a batch
touches some 1 200 of them.
First screen should say: most of the time goes into gradients and updates of
an embedding table of which a batch uses less than 1 %; own lines
loss.backward() / opt.step() in Trainer.step, made by the table's line in
ShopModel.__init__; about half of the run or more.
Mend: nn.Embedding(..., sparse=True) (Adagrad takes sparse gradients).
"""
import time

import numpy as np
import torch
from torch import nn

torch.set_num_threads(1)

ROWS = 600_000
DIM = 24
STEPS = 46
BATCH = 256


class Clock:
    """Adds up the seconds that go into the id table."""

    def __init__(self):
        self.total = 0.0
        self.mark = 0.0

    def start(self, *_):
        self.mark = time.perf_counter()

    def stop(self):
        self.total += time.perf_counter() - self.mark


class ShopModel(nn.Module):
    def __init__(self, clock):
        super().__init__()
        self.clock = clock
        self.table = nn.Embedding(ROWS, DIM)  # FAULT dense-gradients
        self.history = nn.Sequential(nn.Linear(DIM * 4, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU())
        self.product = nn.Sequential(nn.Linear(DIM, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU())
        self.head = nn.Sequential(nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 1))

    def forward(self, ids):
        rows = self.table(ids)
        if rows.requires_grad:
            rows.register_hook(self.clock.start)   # the table's own backward runs last
        seen = self.history(rows[:, :4].flatten(1))
        offer = self.product(rows[:, 4])
        return self.head(torch.cat([seen, offer], dim=1)).squeeze(1)


class ClickLog:
    """Synthetic clicks: popular products come up far more often."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.taste = self.rng.normal(size=997)

    def batch(self, size):
        raw = self.rng.zipf(1.3, size=(size, 5)) * 7919 + self.rng.integers(0, ROWS, size=(size, 5)) // 40
        ids = raw % ROWS
        score = self.taste[ids % 997].sum(axis=1)
        label = (score + self.rng.normal(size=size) > 0).astype(np.float32)
        return torch.from_numpy(ids.astype(np.int64)), torch.from_numpy(label)


class Trainer:
    def __init__(self, model, clock):
        self.model = model
        self.clock = clock
        self.loss = nn.BCEWithLogitsLoss()
        self.opt = torch.optim.Adagrad(model.parameters(), lr=0.05)

    def step(self, ids, label):
        self.clock.start()
        self.opt.zero_grad()
        self.clock.stop()
        loss = self.loss(self.model(ids), label)
        loss.backward()
        self.clock.stop()
        self.clock.start()
        self.opt.step()
        self.clock.stop()
        return loss.item()


@torch.no_grad()
def evaluate(model, log, batches):
    model.eval()
    right = seen = 0
    for _ in range(batches):
        ids, label = log.batch(BATCH)
        guess = model(ids) > 0
        right += int((guess == (label > 0.5)).sum())
        seen += len(label)
    model.train()
    return right / seen


def main():
    torch.manual_seed(3)
    clock = Clock()
    model = ShopModel(clock)
    trainer = Trainer(model, clock)
    log = ClickLog(11)
    held_out = ClickLog(12)
    history = []
    for step in range(1, STEPS + 1):
        history.append(trainer.step(*log.batch(BATCH)))
        if step % 23 == 0:
            share = evaluate(model, held_out, 8)
            print(f"step {step:4d}  loss {np.mean(history[-23:]):.4f}  held out {share:.3f}")
    print(f"truth {clock.total:.3f}")


if __name__ == "__main__":
    main()
