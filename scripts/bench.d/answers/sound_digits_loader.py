"""Trains a small convolutional network on drawn digits; one worker process of the loader draws and distorts them."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

SEGMENTS = {  # of a seven-segment display, as (top, left, bottom, right)
    "a": (4, 8, 6, 20), "b": (4, 18, 14, 20), "c": (14, 18, 24, 20), "d": (22, 8, 24, 20),
    "e": (14, 8, 24, 10), "f": (4, 8, 14, 10), "g": (13, 8, 15, 20),
}
DIGITS = ("abcdef", "bc", "abdeg", "abcdg", "bcfg", "acdfg", "acdefg", "abc", "abcdefg", "abcdfg")


class Drawn(Dataset):
    def __init__(self, count, seed):
        self.count = count
        self.seed = seed
        self.clean = torch.zeros(10, 28, 28)
        for digit, segments in enumerate(DIGITS):
            for name in segments:
                top, left, bottom, right = SEGMENTS[name]
                self.clean[digit, top:bottom, left:right] = 1

    def __len__(self):
        return self.count

    def __getitem__(self, number):
        draw = torch.Generator().manual_seed(self.seed + number)
        digit = number * 7 % 10
        down, right = torch.randint(-3, 4, (2,), generator=draw).tolist()
        picture = torch.roll(self.clean[digit], (down, right), (0, 1))
        return (picture + torch.randn(28, 28, generator=draw) * 0.8).unsqueeze(0), digit


def network():
    return nn.Sequential(
        nn.Conv2d(1, 16, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(32 * 49, 64), nn.ReLU(), nn.Linear(64, 10),
    )


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.Adam(model.parameters(), lr=0.002)
        self.loss = nn.CrossEntropyLoss()

    def epoch(self, loader):
        self.model.train()
        total = torch.zeros(())
        for pictures, digits in loader:
            self.optimizer.zero_grad(set_to_none=True)
            loss = self.loss(self.model(pictures), digits)
            loss.backward()
            self.optimizer.step()
            total += loss.detach()
        return total.item() / len(loader)

    @torch.no_grad()
    def check(self, loader):
        self.model.eval()
        right = sum((self.model(pictures).argmax(1) == digits).sum() for pictures, digits in loader)
        return right.item() / len(loader.dataset)


def main():
    torch.manual_seed(7)
    torch.set_num_threads(2)
    train = DataLoader(Drawn(2200, 0), batch_size=64, num_workers=1, persistent_workers=True)
    test = DataLoader(Drawn(500, 10**6), batch_size=250, num_workers=1, persistent_workers=True)
    trainer = Trainer(network())
    for epoch in range(3):
        loss = trainer.epoch(train)
        print("epoch %d loss %.3f right %.3f" % (epoch, loss, trainer.check(test)))


main()
