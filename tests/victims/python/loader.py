# Training loops with a torch DataLoader whose data comes too slowly, or not: loader.py CASE WORKERS BATCHES STEP_MS
# SAMPLE_MS [DIR]. Prints what the loop waited for its batches and what it took, by its own clock.
import os
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset

BATCH = 4


def burn(seconds):
    end = time.thread_time() + seconds
    x = 1
    while time.thread_time() < end:
        for _ in range(200):
            x = x * 3 % 1000003


class Decoded(Dataset):
    """Each sample is computed."""

    def __init__(self, count, seconds):
        self.count = count
        self.seconds = seconds

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        burn(self.seconds)
        return torch.full((64,), float(index))


class Stored(Decoded):
    """Each sample is a file."""

    def __init__(self, count, directory):
        super().__init__(count, 0)
        self.paths = sorted(os.path.join(directory, name) for name in os.listdir(directory))

    def __getitem__(self, index):
        with open(self.paths[index % len(self.paths)], "rb", buffering=0) as file:
            data = file.read(1 << 16)
        return torch.full((64,), float(len(data)))


def train(loader, step):
    waited, total = 0.0, 0.0
    begin = time.perf_counter()
    batches = iter(loader)
    while True:
        before = time.perf_counter()
        batch = next(batches, None)
        waited += time.perf_counter() - before
        if batch is None:
            break
        total += float(batch.sum())
        time.sleep(step)
    return waited, time.perf_counter() - begin, total


def main():
    case, workers, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) * BATCH
    step, sample = float(sys.argv[4]) / 1e3, float(sys.argv[5]) / 1e3
    torch.set_num_threads(1)
    dataset = Stored(count, sys.argv[6]) if case == "stored" else Decoded(count, sample)
    waited, loop, total = train(DataLoader(dataset, batch_size=BATCH, num_workers=workers), step)
    print("waited_us", int(waited * 1e6))
    print("loop_us", int(loop * 1e6))
    print("total", int(total))


main()
