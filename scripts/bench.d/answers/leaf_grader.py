"""Leaf grader: fits a new head on a ready-made convolutional backbone, to grade
leaf pictures into 12 classes.

What is wrong: the backbone is meant to be frozen: its parameters are not given to
the optimizer.  But they still require gradients and the forward pass records
them, so that each loss.backward() runs back through the whole backbone, for
gradients that nobody uses (they only pile up in .grad).
First screen should say: most time is in loss.backward() (convolution_backward,
batch norm backward, ...) in Grader.fit_epoch; the parameters of self.backbone
get gradients but are in no optimizer; the forward line is marked FAULT.
Mend: run the backbone under torch.no_grad() (or requires_grad_(False)).
"""
import time

import torch
from torch import nn
import torch.nn.functional as F

torch.set_num_threads(1)

CLASSES = 12
SIZE = 40


class Backbone(nn.Module):
    """Stands for the pretrained net."""

    def __init__(self):
        super().__init__()
        widths = [3, 16, 24, 32]
        self.blocks = nn.ModuleList()
        for before, after in zip(widths, widths[1:]):
            self.blocks.append(nn.Sequential(
                nn.Conv2d(before, after, 3, padding=1, bias=False),
                nn.BatchNorm2d(after),
                nn.ReLU(),
                nn.MaxPool2d(2),
            ))

    def forward(self, pictures):
        for block in self.blocks:
            pictures = block(pictures)
        return pictures.flatten(1)


class LeafPictures:
    """Pictures made from a few waves per class, with noise, flips and shifts."""

    def __init__(self, count, seed):
        self.generator = torch.Generator().manual_seed(seed)
        self.labels = torch.randint(0, CLASSES, (count,), generator=self.generator)
        grid = torch.linspace(0, 6.28, SIZE)
        base = torch.stack([torch.sin(grid * (k % 4 + 1))[:, None] * torch.cos(grid * (k // 4 + 1))[None]
                            for k in range(CLASSES)])
        self.pictures = base[self.labels][:, None].repeat(1, 3, 1, 1)
        self.pictures += 0.4 * torch.randn(self.pictures.shape, generator=self.generator)

    def batches(self, size, augment):
        order = torch.randperm(len(self.labels), generator=self.generator)
        for rows in order.split(size):
            part = self.pictures[rows]
            if augment:
                part = part.flip(3) if torch.rand(1, generator=self.generator) < 0.5 else part
                part = part.roll(int(torch.randint(-3, 4, (1,), generator=self.generator)), 2)
                part = part + 0.1 * torch.randn(part.shape, generator=self.generator)
            yield part, self.labels[rows]


class Grader:
    def __init__(self):
        self.backbone = Backbone().eval()
        side = SIZE // 8
        self.head = nn.Sequential(nn.Linear(32 * side * side, 128), nn.ReLU(), nn.Linear(128, CLASSES))
        self.optimizer = torch.optim.Adam(self.head.parameters(), lr=2e-3)
        self.back = 0.0
        self.steps = 0

    def fit_epoch(self, data):
        self.head.train()
        total = 0.0
        for pictures, labels in data.batches(64, augment=True):
            features = self.backbone(pictures)  # FAULT unused-gradients
            loss = F.cross_entropy(self.head(features), labels)
            self.optimizer.zero_grad()
            began = time.perf_counter()
            loss.backward()
            self.back += time.perf_counter() - began
            self.steps += 1
            self.optimizer.step()
            total += loss.item()
        return total

    @torch.no_grad()
    def score(self, data):
        self.head.eval()
        right = 0
        for pictures, labels in data.batches(128, augment=False):
            right += int((self.head(self.backbone(pictures)).argmax(1) == labels).sum())
        return right / len(data.labels)


def main():
    torch.manual_seed(4)
    train = LeafPictures(1280, seed=1)
    check = LeafPictures(192, seed=2)
    grader = Grader()
    for epoch in range(4):
        loss = grader.fit_epoch(train)
        print(f"epoch {epoch}: loss {loss:.3f}, right {grader.score(check):.3f}")
    print(f"truth {max(0.0, grader.back - 0.0016 * grader.steps):.3f}")


if __name__ == "__main__":
    main()
