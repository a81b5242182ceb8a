"""Train a small convolutional net to tell leaf outlines apart.

What is wrong: collate() makes lists of Python's numbers of each image, and tensors of those, one number after the other.
First screen should say: half of the steps' time is waiting for the next batch, which goes by in that line of collate().
Mend: torch.from_numpy(np.stack(images)).
"""
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

SIZE = 48
CLASSES = 5
TRAIN, CHECK = 1500, 500
EPOCHS = 3
BATCH = 32


class Leaves(Dataset):
    """Synthetic leaf images: lobed outlines with class-dependent lobe counts."""

    def __init__(self, count, seed):
        rng = np.random.default_rng(seed)
        y, x = np.mgrid[-1:1:SIZE * 1j, -1:1:SIZE * 1j].astype(np.float32)
        angle, radius = np.arctan2(y, x), np.hypot(x, y)
        self.labels = rng.integers(0, CLASSES, count)
        self.images = np.empty((count, 3, SIZE, SIZE), np.float32)
        for i, label in enumerate(self.labels):
            turn, scale = rng.uniform(0, 6.28), rng.uniform(0.45, 0.7)
            outline = scale * (1 + 0.3 * np.cos((label + 2) * (angle + turn)))
            leaf = 1 / (1 + np.exp((radius - outline) * 30))
            tint = rng.uniform(0.3, 1.0, 3).astype(np.float32)
            noise = rng.normal(0, 0.15, (3, SIZE, SIZE))
            self.images[i] = leaf * tint[:, None, None] + noise

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        image = self.images[index]
        if index % 2:
            image = image[:, :, ::-1]
        return image, self.labels[index]


spent = []


def collate(samples):
    began = time.perf_counter()
    images = torch.tensor([image.tolist() for image, _ in samples])  # FAULT waiting-for-data
    spent.append(time.perf_counter() - began)
    labels = torch.tensor([int(label) for _, label in samples])
    return images, labels


def build():
    def block(inside, outside):
        return [nn.Conv2d(inside, outside, 3, stride=2, padding=1), nn.BatchNorm2d(outside),
                nn.ReLU()]

    return nn.Sequential(*block(3, 24), *block(24, 32), *block(32, 48),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(48, CLASSES))


def train(model, loader):
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    criterion = nn.CrossEntropyLoss()
    model.train()
    losses = []
    for _ in range(EPOCHS):
        total, count = 0.0, 0
        for images, labels in loader:
            loss = criterion(model(images), labels)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(labels)
            count += len(labels)
        losses.append(total / count)
    return losses


@torch.inference_mode()
def accuracy(model, loader):
    model.eval()
    hits = sum(int((model(images).argmax(1) == labels).sum()) for images, labels in loader)
    return hits / len(loader.dataset)


def main():
    torch.manual_seed(8)
    generator = torch.Generator().manual_seed(8)
    train_loader = DataLoader(Leaves(TRAIN, 1), batch_size=BATCH, shuffle=True,
                              generator=generator, collate_fn=collate)
    check_loader = DataLoader(Leaves(CHECK, 2), batch_size=BATCH, collate_fn=collate)
    model = build()
    losses = train(model, train_loader)
    wasted = sum(spent)
    print("losses", " ".join(f"{v:.2f}" for v in losses))
    print(f"accuracy {accuracy(model, check_loader):.2f}")
    print("truth", wasted)


if __name__ == "__main__":
    main()
