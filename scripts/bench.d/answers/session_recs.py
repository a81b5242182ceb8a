"""Train a next-item recommender on shop sessions with sampled negatives.

What is wrong: Nn.Embedding with dense gradient: backward and SGD step touch the whole item table at each step.
Mend: Sparse=True.
"""
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

ITEMS = 60_000
DIM = 48


class SessionModel(nn.Module):
    def __init__(self, items, dim):
        super().__init__()
        self.items = nn.Embedding(items, dim)  # FAULT dense-gradients
        self.mix = nn.Sequential(nn.Linear(dim, 2 * dim), nn.ReLU(), nn.Linear(2 * dim, dim))
        nn.init.normal_(self.items.weight, std=0.1)

    def session_vector(self, history):
        return self.mix(self.items(history).mean(dim=1))

    def forward(self, history, target, negatives):
        session = self.session_vector(history)
        positive = (session * self.items(target)).sum(-1, keepdim=True)
        negative = torch.bmm(self.items(negatives), session.unsqueeze(-1)).squeeze(-1)
        return torch.cat([positive, negative], dim=1)


class Sessions:
    """Click logs: each visitor moves around in a handful of neighbouring categories."""

    def __init__(self, count, length, seed):
        rng = np.random.default_rng(seed)
        category = rng.integers(0, ITEMS // 200, size=(count, 1))
        clicks = category * 200 + rng.integers(0, 200, size=(count, length + 1))
        self.history = torch.from_numpy(clicks[:, :-1].copy())
        self.target = torch.from_numpy(clicks[:, -1].copy())

    def __len__(self):
        return len(self.target)

    def batches(self, size, generator):
        order = torch.randperm(len(self), generator=generator)
        for chunk in order.split(size):
            yield self.history[chunk], self.target[chunk]


class Trainer:
    def __init__(self, model, lr):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=lr)
        self.generator = torch.Generator().manual_seed(17)
        self.updating = 0.0
        self.steps = 0

    def step(self, history, target, negatives):
        logits = self.model(history, target, negatives)
        loss = F.cross_entropy(logits, torch.zeros(len(target), dtype=torch.long))
        began = time.perf_counter()
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        self.updating += time.perf_counter() - began
        self.steps += 1
        return loss.detach()

    def epoch(self, sessions, size, negatives):
        total = torch.zeros(())
        for history, target in sessions.batches(size, self.generator):
            drawn = torch.randint(ITEMS, (len(target), negatives), generator=self.generator)
            total += self.step(history, target, drawn) * len(target)
        return total.item() / len(sessions)


@torch.no_grad()
def recall(model, sessions, candidates, k):
    generator = torch.Generator().manual_seed(5)
    hits = 0
    for history, target in sessions.batches(512, generator):
        drawn = torch.randint(ITEMS, (len(target), candidates), generator=generator)
        scores = model(history, target, drawn)
        hits += (scores[:, 1:] > scores[:, :1]).sum(1).lt(k).sum().item()
    return hits / len(sessions)


def reference_step(sessions, size, negatives, rounds):
    model = SessionModel(ITEMS, DIM)
    model.items.sparse = True
    trainer = Trainer(model, lr=0.1)
    for n, (history, target) in enumerate(sessions.batches(size, trainer.generator)):
        if n == 1:
            trainer.updating, trainer.steps = 0.0, 0
        trainer.step(history, target, torch.randint(ITEMS, (len(target), negatives)))
        if n == rounds:
            break
    return trainer.updating / trainer.steps


def main():
    torch.manual_seed(1)
    train, held_out = Sessions(8_000, 12, seed=1), Sessions(3_000, 12, seed=2)
    model = SessionModel(ITEMS, DIM)
    trainer = Trainer(model, lr=12.0)
    for epoch in range(3):
        loss = trainer.epoch(train, size=128, negatives=96)
        print(f"epoch {epoch} loss {loss:.3f} recall@20 {recall(model, held_out, 600, 20):.3f}")
    per_step = reference_step(train, 128, 96, rounds=10)
    print(f"truth {trainer.updating - trainer.steps * per_step:.3f}")


if __name__ == "__main__":
    main()
