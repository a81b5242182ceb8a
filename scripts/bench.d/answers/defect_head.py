"""Fit a defect classifier for camera tiles on top of the plant's image body.

What is wrong: only the head is trained, and the body is not frozen, so that gradients of all its layers are computed.
First screen should say: the backward pass computes gradients that no optimizer uses.
Mend: requires_grad_(False) on the body.
"""
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

KINDS = ["ok", "scratch", "dent", "stain"]
SIDE = 32


class TileSet(Dataset):
    """Grey tiles with a synthetic mark that depends on the class."""

    def __init__(self, count, seed):
        gen = torch.Generator().manual_seed(seed)
        self.images = torch.randn(count, 1, SIDE, SIDE, generator=gen) * 0.3
        self.labels = torch.randint(0, len(KINDS), (count,), generator=gen)
        spots = torch.randint(4, SIDE - 8, (count, 2), generator=gen)
        for image, label, (r, c) in zip(self.images, self.labels.tolist(),
                                        spots.tolist()):
            if label == 1:
                image[0, r, :] += 1.6
            elif label == 2:
                image[0, r:r + 5, c:c + 5] -= 1.4
            elif label == 3:
                image[0, r:r + 7, c:c + 7] += 0.9

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, n):
        return self.images[n], self.labels[n]


def stage(inner, outer, stride):
    return nn.Sequential(
        nn.Conv2d(inner, outer, 3, stride=stride, padding=1), nn.ReLU(),
        nn.Conv2d(outer, outer, 3, padding=1), nn.ReLU())


class Body(nn.Module):
    def __init__(self):
        super().__init__()
        self.stages = nn.Sequential(stage(1, 12, 1), stage(12, 24, 2),
                                    stage(24, 48, 2))

    def forward(self, x):
        h = self.stages(x)
        return torch.cat([h.mean((2, 3)), h.amax((2, 3))], dim=1)


class DefectModel(nn.Module):
    def __init__(self, body):
        super().__init__()
        self.body = body
        self.head = nn.Sequential(nn.Linear(96, 64), nn.ReLU(),
                                  nn.Linear(64, len(KINDS)))

    def forward(self, x):
        return self.head(self.body(x))


def plant_body():
    """The body shared by all lines, as shipped by the vision team."""
    torch.manual_seed(40)
    body = Body()
    for layer in body.modules():
        if isinstance(layer, nn.Conv2d):
            nn.init.kaiming_normal_(layer.weight)
            nn.init.zeros_(layer.bias)
    return body.eval()


def flip(x, gen):
    """Mirror half of the tiles; the marks do not care."""
    pick = torch.rand(len(x), generator=gen) < 0.5
    x = x.clone()
    x[pick] = x[pick].flip(-1)
    return x


def fit(model, tiles, epochs, batch=32):
    gen = torch.Generator().manual_seed(9)
    loader = DataLoader(tiles, batch_size=batch, shuffle=True, generator=gen)
    optim = torch.optim.Adam(model.head.parameters(), lr=4e-3)
    spent = 0.0
    for number in range(epochs):
        total = 0.0
        for x, y in loader:
            model.zero_grad(set_to_none=True)
            loss = nn.functional.cross_entropy(model(flip(x, gen)), y)
            began = time.perf_counter()
            loss.backward()  # FAULT unused-gradients
            spent += time.perf_counter() - began
            optim.step()
            total += float(loss.detach()) * len(y)
        print(f"epoch {number}: {total / len(tiles):.4f}")
    return spent


@torch.no_grad()
def confusion(model, tiles):
    table = torch.zeros(len(KINDS), len(KINDS), dtype=torch.long)
    for x, y in DataLoader(tiles, batch_size=64):
        for want, got in zip(y.tolist(), model(x).argmax(1).tolist()):
            table[want, got] += 1
    return table


def main():
    model = DefectModel(plant_body())
    spent = fit(model, TileSet(1200, 2), epochs=5)
    for kind, row in zip(KINDS, confusion(model, TileSet(300, 3)).tolist()):
        print(f"{kind:8s}", row)
    print("truth %.3f" % spent)


if __name__ == "__main__":
    main()
