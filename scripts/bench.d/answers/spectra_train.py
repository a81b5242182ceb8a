"""Trains a small 1-D CNN that names minerals from spectra kept in compressed .npz shards.

What is wrong: the Dataset opens the shard and decompresses the whole array in every __getitem__, to
    take one row from it (np.load of an .npz is lazy and caches nothing between opens). With
    shuffle=True each sample unpacks 400 spectra.
First screen should say: most of the run is spent in SpectraDataset.__getitem__, in np.load / zlib
    decompress on the main thread, while the model waits for data; line: the np.load; amount: the
    seconds printed as "truth".
Mend: load each shard once (in __init__ or behind a cache) and index the array in memory.
"""
import os
import shutil
import tempfile
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

CLASSES, BANDS, PER_SHARD, SHARDS = 12, 256, 400, 6


def write_shards(folder, rng):
    """Synthetic spectra: a few Gaussian absorption lines per mineral, quantised as the device does."""
    lines = rng.uniform(10, BANDS - 10, (CLASSES, 4))
    grid = np.arange(BANDS)
    for s in range(SHARDS):
        y = rng.integers(0, CLASSES, PER_SHARD)
        x = np.ones((PER_SHARD, BANDS), dtype=np.float32)
        for k in range(4):
            centre = lines[y, k][:, None] + rng.normal(0, 1.5, (PER_SHARD, 1))
            x -= 0.2 * np.exp(-((grid - centre) / 4.0) ** 2)
        x += rng.normal(0, 0.02, x.shape)
        np.savez_compressed(os.path.join(folder, f"part{s:03d}.npz"), x=np.round(x, 3).astype(np.float32), y=y)


class SpectraDataset(Dataset):
    def __init__(self, folder):
        self.paths = sorted(os.path.join(folder, p) for p in os.listdir(folder))
        self.read_seconds = 0.0

    def __len__(self):
        return len(self.paths) * PER_SHARD

    def __getitem__(self, i):
        shard, row = divmod(i, PER_SHARD)
        t = time.perf_counter()
        with np.load(self.paths[shard]) as data:
            x, y = data["x"][row], int(data["y"][row])  # FAULT waiting-for-data
        self.read_seconds += time.perf_counter() - t
        return self.augment(torch.from_numpy(x)), y

    @staticmethod
    def augment(x):
        x = torch.roll(x, int(torch.randint(-2, 3, ())))
        return (x + 0.01 * torch.randn_like(x)).unsqueeze(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        def block(i, o):
            return nn.Sequential(nn.Conv1d(i, o, 7, padding=3), nn.BatchNorm1d(o), nn.ReLU(), nn.MaxPool1d(2))
        self.body = nn.Sequential(block(1, 32), block(32, 64), block(64, 64))
        self.head = nn.Linear(64 * BANDS // 8, CLASSES)

    def forward(self, x):
        return self.head(self.body(x).flatten(1))


def train_epoch(net, loader, opt, loss_fn):
    net.train()
    seen, right, total = 0, torch.zeros(()), torch.zeros(())
    for x, y in loader:
        opt.zero_grad(set_to_none=True)
        out = net(x)
        loss = loss_fn(out, y)
        loss.backward()
        opt.step()
        total += loss.detach() * len(y)
        right += (out.detach().argmax(1) == y).sum()
        seen += len(y)
    return total.item() / seen, right.item() / seen


def main():
    start = time.perf_counter()
    torch.manual_seed(0)
    torch.set_num_threads(os.cpu_count())
    folder = tempfile.mkdtemp(prefix="spectra_")
    try:
        write_shards(folder, np.random.default_rng(1))
        data = SpectraDataset(folder)
        loader = DataLoader(data, batch_size=64, shuffle=True)
        net = Net()
        opt = torch.optim.AdamW(net.parameters(), lr=2e-3)
        for epoch in range(1):
            loss, acc = train_epoch(net, loader, opt, nn.CrossEntropyLoss())
            print(f"epoch {epoch}: loss {loss:.3f} accuracy {acc:.3f}")
    finally:
        shutil.rmtree(folder)
    print(f"total {time.perf_counter() - start:.2f}")
    print(f"truth {data.read_seconds:.2f}")


if __name__ == "__main__":
    main()
