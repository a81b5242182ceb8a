"""Trains on documents whose tokens come out of the workers as lists of tuples."""
import time
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

waiting = 0.0


class Documents(Dataset):
    def __init__(self, n):
        rng = np.random.default_rng(0)
        self.tokens = rng.integers(0, 5000, size=(64, 3000)).tolist()
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        doc = self.tokens[i % 64]
        return [{"token": t, "pos": p, "tag": "t%d" % (t % 9)} for p, t in enumerate(doc)], i % 4  # FAULT pickling


def keep(batch):
    return batch  # FAULT waiting-for-data pickling


def to_tensor(batch):
    x = torch.tensor([[w["token"] for w in doc] for doc, _ in batch])
    return x, torch.tensor([y for _, y in batch])


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.EmbeddingBag(5000, 64)
        self.out = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 4))

    def forward(self, x):
        return self.out(self.emb(x))


def train(loader):
    global waiting
    model = Model()
    opt = torch.optim.Adam(model.parameters())
    it, loss = iter(loader), None
    while True:
        t = time.perf_counter()
        batch = next(it, None)
        waiting += time.perf_counter() - t if loss is not None else 0  # the workers have to start first
        if batch is None:
            return loss.item()
        x, y = to_tensor(batch)
        loss = nn.functional.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()


def main():
    torch.manual_seed(0)
    loader = DataLoader(Documents(900), batch_size=10, num_workers=2, collate_fn=keep)
    print("loss %.4f" % train(loader))
    print("truth %.3f" % waiting)


if __name__ == "__main__":
    main()
