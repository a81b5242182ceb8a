"""Training loops whose data comes from a DataLoader, each too slow for one reason, and one that is fast enough:
torch_data.py CASE STEPS

The lines are marked that take the batches, and that load them. Prints what part of its loop it waited by its own clock.
"""
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset

case, steps = sys.argv[1], int(sys.argv[2])
torch.manual_seed(1)
torch.set_num_threads(1)
model = torch.nn.Linear(256, 10)
optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
loss_of = torch.nn.CrossEntropyLoss()
inputs, labels = torch.randn(64, 256), torch.randint(0, 10, (64,))


def burn(seconds):
    end = time.thread_time() + seconds
    x = 1
    while time.thread_time() < end:
        x = x * 3 % 1000003


class Decoded(Dataset):
    def __init__(self, seconds):
        self.seconds = seconds

    def __len__(self):
        return steps

    def __getitem__(self, index):
        end = time.thread_time() + self.seconds
        x = 1
        while time.thread_time() < end:
            for _ in range(1000):
                x = x * 3 % 1000003  # loads
        return torch.full((8,), float(index))


class Records(Dataset):
    """Many small objects of Python: they are packed to be sent, and unpacked."""

    def __init__(self):
        self.records = [{"id": i, "value": i / 3, "name": str(i)} for i in range(60000)]

    def __len__(self):
        return steps

    def __getitem__(self, index):
        return self.records


def learn(seconds):
    optimizer.zero_grad()
    loss_of(model(inputs), labels).backward()
    optimizer.step()
    burn(seconds)


def train(loader, seconds):
    waited, learned = [], []
    ready = time.perf_counter()
    for batch in loader:  # takes the batches
        taken = time.perf_counter()
        learn(seconds)
        waited.append(taken - ready)
        ready = time.perf_counter()
        learned.append(ready - taken)
    warm = len(waited) // 10  # the first batches wait for the workers to start
    waited, learned = sum(waited[warm:]), sum(learned[warm:])
    print("waited_permille", int(1000 * waited / (waited + learned)))


def first(batch):
    return batch[0]


if case == "loads_by_itself":
    train(DataLoader(Decoded(0.02), batch_size=1), 0.01)
elif case == "has_too_few_workers":
    train(DataLoader(Decoded(0.03), batch_size=1, num_workers=1), 0.002)
elif case == "pickles":
    train(DataLoader(Records(), batch_size=1, num_workers=2, collate_fn=first), 0.002)
elif case == "is_fast_enough":
    train(DataLoader(Decoded(0.001), batch_size=1, num_workers=1), 0.06)
print("done")
