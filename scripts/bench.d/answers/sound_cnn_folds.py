"""Cross-validate a small texture CNN, one fold per worker process."""
import multiprocessing
import os

import torch
from torch import nn
import torch.nn.functional as F

FOLDS = 4


class TextureNet(nn.Module):
    def __init__(self, channels=40, classes=4):
        super().__init__()
        self.stem = nn.Conv2d(3, channels, 3, stride=2, padding=1)
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1)
        self.head = nn.Linear(channels, classes)

    def forward(self, x):
        h = F.relu(self.stem(x), inplace=True)
        h = F.relu(self.conv1(h), inplace=True)
        h = F.relu(self.conv2(h), inplace=True)
        return self.head(h.mean(dim=(2, 3)))


def make_textures(n, size, seed):
    g = torch.Generator().manual_seed(seed)
    labels = torch.randint(0, 4, (n,), generator=g)
    freq = (labels.float() + 1).view(n, 1, 1, 1)
    axis = torch.linspace(0, 6.28, size)
    waves = torch.sin(axis.view(1, 1, 1, size) * freq) + torch.cos(axis.view(1, 1, size, 1) * freq)
    return waves + 0.7 * torch.randn(n, 3, size, size, generator=g), labels


def train_epoch(model, images, labels, optimizer, batch=48):
    model.train()
    for idx in torch.randperm(len(labels)).split(batch):
        loss = F.cross_entropy(model(images[idx]), labels[idx])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()


@torch.no_grad()
def accuracy(model, images, labels, batch=128):
    model.eval()
    hits = sum((model(x).argmax(1) == y).sum().item()
               for x, y in zip(images.split(batch), labels.split(batch)))
    return hits / len(labels)


def run_fold(fold):
    torch.set_num_threads(1)
    torch.manual_seed(fold)
    images, labels = make_textures(640, 32, 1)
    held_out = torch.arange(len(labels)) % FOLDS == fold
    model = TextureNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    train = images[~held_out], labels[~held_out]
    for _ in range(4):
        train_epoch(model, *train, optimizer)
    return accuracy(model, images[held_out], labels[held_out])


def main():
    with multiprocessing.Pool(os.cpu_count()) as pool:
        scores = pool.map(run_fold, range(FOLDS), chunksize=1)
    for fold, score in enumerate(scores):
        print(f"fold {fold} accuracy {score:.3f}")
    print(f"mean {sum(scores) / len(scores):.3f}")


if __name__ == "__main__":
    main()
