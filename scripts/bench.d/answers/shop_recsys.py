"""Trains a two-tower recommender with an item embedding table of 400,000 rows.

What is wrong: the table's gradient is dense (sparse=False) and the table is trained by plain Adam. A
    step touches at most 3,600 rows, yet Adam reads and writes all 25.6 million weights and both its
    moment tables at each step.
First screen should say: the largest part of the run is the optimizer step of the embedding table (Adam over a
    [400000, 64] parameter of which about 1 % of rows have a gradient); line: table_opt.step();
    amount: the seconds printed as "truth" (making the dense gradient in backward comes on top).
Mend: nn.Embedding(..., sparse=True) and torch.optim.SparseAdam for the table.
"""
import os
import time

import torch
from torch import nn
from torch.nn import functional as F

ITEMS, DIM, BATCH, NEG = 400_000, 64, 512, 7


class Events:
    """Clicks: a basket of past items and the item bought next; popular items come more often."""

    def __init__(self, seed):
        self.gen = torch.Generator().manual_seed(seed)

    def popular(self, *shape):
        return (torch.rand(shape, generator=self.gen) ** 3 * ITEMS).long()

    def batch(self):
        history = self.popular(BATCH, 6)
        target = (history[:, :1] + torch.randint(0, 50, (BATCH, 1), generator=self.gen)) % ITEMS
        negatives = self.popular(NEG).expand(BATCH, NEG)
        return history, torch.cat([target, negatives], 1)


class Tower(nn.Module):
    def __init__(self, hidden=64):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(DIM, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, DIM)
        )

    def forward(self, x):
        return F.normalize(self.net(x), dim=-1)


class Recommender(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(ITEMS, DIM)
        self.table.weight.data.mul_(0.05)
        self.user, self.item = Tower(), Tower()

    def forward(self, history, candidates):
        rows = self.table(torch.cat([history, candidates], 1))
        past, offered = rows.split([history.shape[1], candidates.shape[1]], 1)
        u, v = self.user(past.mean(1)), self.item(offered)
        return torch.einsum("bd,bkd->bk", u, v) * 10


def recall(model, events, k=3):
    model.eval()
    hits = 0
    with torch.no_grad():
        for _ in range(10):
            history, cand = events.batch()
            hits += (model(history, cand).topk(k, 1).indices == 0).any(1).sum()
    model.train()
    return int(hits) / (10 * BATCH)


def main():
    start = time.perf_counter()
    torch.manual_seed(0)
    torch.set_num_threads(os.cpu_count())
    events = Events(1)
    model = Recommender()
    table_opt = torch.optim.Adam(model.table.parameters(), lr=2e-3)
    tower_opt = torch.optim.Adam([*model.user.parameters(), *model.item.parameters()], lr=1e-3)
    truth, total = 0.0, torch.zeros(())
    target = torch.zeros(BATCH, dtype=torch.long)
    steps = 25
    for step in range(steps):
        history, cand = events.batch()
        table_opt.zero_grad(set_to_none=True)
        tower_opt.zero_grad(set_to_none=True)
        loss = F.cross_entropy(model(history, cand), target)
        loss.backward()
        t = time.perf_counter()
        table_opt.step()  # FAULT dense-gradients
        truth += time.perf_counter() - t
        tower_opt.step()
        total += loss.detach()
    print(f"mean loss {total.item() / steps:.3f}, recall@3 {recall(model, events):.3f}")
    print(f"total {time.perf_counter() - start:.2f}")
    print(f"truth {truth:.2f}")


if __name__ == "__main__":
    main()
