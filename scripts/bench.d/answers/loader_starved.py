"""Trains a small classifier on images that are augmented on the fly."""
import time
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

loading = 0.0


class Pictures(Dataset):
    def __init__(self, n):
        self.n = n
        self.base = np.random.default_rng(0).random((64, 3, 40, 40), dtype=np.float32)

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        x = self.base[i % 64]
        for k in range(6):  # FAULT waiting-for-data
            x = np.roll(x, k + i % 3, axis=2)
            x = x + 0.01 * np.sin(x * (k + 1)) + 0.001 * np.random.rand(3, 40, 40)  # FAULT waiting-for-data
            x = (x - x.mean()) / (x.std() + 1e-6)
        return torch.from_numpy(x[:, 4:36, 4:36].astype(np.float32).copy()), i % 10


def build():
    convolution = nn.Conv2d(3, 12, 3, padding=1)
    return nn.Sequential(convolution, nn.ReLU(), nn.MaxPool2d(4), nn.Flatten(), nn.Linear(12 * 64, 10))


def train(model, loader):
    global loading
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    loss_fn = nn.CrossEntropyLoss()
    last = 0.0
    batches = iter(loader)
    while True:
        t = time.perf_counter()
        batch = next(batches, None)
        loading += time.perf_counter() - t
        if batch is None:
            return last
        x, y = batch
        opt.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        opt.step()
        last = loss.item()


def main():
    torch.manual_seed(0)
    loader = DataLoader(Pictures(2600), batch_size=32, num_workers=0, shuffle=True)
    print("loss %.4f" % train(build(), loader))
    print("truth %.3f" % loading)


main()
