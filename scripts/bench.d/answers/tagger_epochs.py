"""Fine-tunes a small classifier on support tickets that lie in a packed text
file; the loader's worker reads the tickets.

What is wrong: the DataLoader is made without persistent_workers, so each
epoch starts a new worker, and each new worker reads the ticket index anew
(TicketFile._open) while the training loop waits.
First screen should say: the loop waits for the first batch of every epoch;
the workers are started anew each epoch and each parses the index again; own
line: the DataLoader(...) call in make_loader, or the `for` over the loader;
some third of the run.
Mend: persistent_workers=True.
"""
import json
import os
import random
import shutil
import tempfile
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.set_num_threads(1)

TICKETS = 100_000
PER_EPOCH = 1_024
EPOCHS = 7
WORDS = 2_000
LENGTH = 48


def write_tickets(folder):
    rng = random.Random(5)
    with open(os.path.join(folder, "tickets.dat"), "wb") as data, \
            open(os.path.join(folder, "index.jsonl"), "w") as index:
        at = 0
        for number in range(TICKETS):
            queue = rng.randrange(8)
            words = bytes(rng.randrange(32 * queue, 32 * queue + 64) % 250 + 1 for _ in range(12))
            data.write(words)
            index.write(json.dumps({"id": number, "at": at, "size": len(words), "queue": queue,
                                    "channel": "mail" if number % 3 else "chat",
                                    "opened": f"2023-{number % 12 + 1:02d}-{number % 28 + 1:02d}"}) + "\n")
            at += len(words)


class TicketFile(Dataset):
    """Random access to the tickets; file and index are opened on first use,
    as a file object cannot be shared between processes."""

    def __init__(self, folder):
        self.folder = folder
        self.index = None
        self.file = None

    def _open(self):
        self.file = open(os.path.join(self.folder, "tickets.dat"), "rb")
        self.index = []
        with open(os.path.join(self.folder, "index.jsonl")) as lines:
            for line in lines:
                entry = json.loads(line)
                self.index.append((entry["at"], entry["size"], entry["queue"]))

    def __len__(self):
        return PER_EPOCH

    def __getitem__(self, number):
        if self.index is None:
            self._open()
        at, size, queue = self.index[(number * 37) % TICKETS]
        self.file.seek(at)
        raw = self.file.read(size)
        ids = [raw[place % size] * 7 % WORDS for place in range(LENGTH)]
        return torch.tensor(ids), queue


class TicketModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, 48)
        self.mix = nn.Conv1d(48, 96, 5, padding=2)
        self.out = nn.Linear(96, 8)

    def forward(self, ids):
        x = self.words(ids).transpose(1, 2)
        x = torch.relu(self.mix(x)).amax(dim=2)
        return self.out(x)


def make_loader(folder):
    return DataLoader(TicketFile(folder), batch_size=64, shuffle=True, num_workers=1,  # FAULT waiting-for-data
                      generator=torch.Generator().manual_seed(1))


def train(model, loader):
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    rule = nn.CrossEntropyLoss()
    waited = []
    for epoch in range(EPOCHS):
        total, first = 0.0, None
        began = time.perf_counter()
        for ids, queue in loader:
            if first is None:
                first = time.perf_counter() - began
            opt.zero_grad()
            loss = rule(model(ids), queue)
            loss.backward()
            opt.step()
            total += loss.item()
        waited.append(first)
        print(f"epoch {epoch}  loss {total / len(loader):.4f}")
    return waited


def main():
    torch.manual_seed(0)
    folder = tempfile.mkdtemp(prefix="tickets_")
    try:
        write_tickets(folder)
        waited = train(TicketModel(), make_loader(folder))
    finally:
        shutil.rmtree(folder)
    print(f"truth {sum(waited[1:]):.3f}")


if __name__ == "__main__":
    main()
