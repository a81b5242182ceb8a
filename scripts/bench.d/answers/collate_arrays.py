"""Trains a small classifier of images that a data set hands out as numpy arrays.

What is wrong: the collate function makes each batch by torch.tensor(list of numpy arrays), which goes through the arrays
element by element.
First screen should say: most of the time goes to torch.tensor in collate (building tensors out of lists of arrays, element
by element), more than to the model - stack the arrays first: torch.from_numpy(np.stack(...)).
Mend: torch.from_numpy(np.stack(images)).
"""
import time
import warnings

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

warnings.filterwarnings("ignore", message="Creating a tensor from a list")
torch.set_num_threads(1)
collating = []
checks = []


class Shapes(Dataset):
    """Discs and bars on noise, drawn when they are asked for."""

    def __init__(self, n, size):
        self.n, self.size = n, size
        self.y, self.x = np.mgrid[0:size, 0:size].astype(np.float32)

    def __len__(self):
        return self.n

    def __getitem__(self, index):
        rng = np.random.default_rng(index)
        kind = index % 2
        cy, cx = rng.integers(12, self.size - 12, 2)
        image = rng.random((3, self.size, self.size), dtype=np.float32)
        if kind:
            image[0] += (self.y - cy) ** 2 + (self.x - cx) ** 2 < 64
        else:
            image[0] += (abs(self.y - cy) < 4) & (abs(self.x - cx) < 14)
        return image, kind


def stack(images):
    return torch.from_numpy(np.stack(images))


def collate(samples):
    images, kinds = zip(*samples)
    began = time.perf_counter()
    batch = torch.tensor(images)  # FAULT waiting-for-data tensors-from-lists
    collating.append(time.perf_counter() - began)
    if len(collating) % 20 == 1:
        began = time.perf_counter()
        assert torch.equal(stack(images), batch)
        checks.append(time.perf_counter() - began)
    return batch, torch.tensor(kinds)


def network():
    return torch.nn.Sequential(
        torch.nn.Conv2d(3, 8, 5, stride=2), torch.nn.ReLU(),
        torch.nn.Conv2d(8, 16, 3, stride=2), torch.nn.ReLU(),
        torch.nn.AdaptiveAvgPool2d(4), torch.nn.Flatten(), torch.nn.Linear(256, 2))


torch.manual_seed(3)
net = network()
optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
loader = DataLoader(Shapes(2800, 56), batch_size=28, collate_fn=collate)
right = 0
for images, kinds in loader:
    optimizer.zero_grad()
    scores = net(images)
    torch.nn.functional.cross_entropy(scores, kinds).backward()
    optimizer.step()
    right += int((scores.argmax(1) == kinds).sum())
print("right", right)
print("truth", sum(collating) - len(collating) * min(checks))
