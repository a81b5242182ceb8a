"""Train a small classifier on short DNA reads whose labels come from an annotation table.

What is wrong: the DataLoader has num_workers=2 but not persistent_workers, so
both workers are torn down and started again for every one of the short epochs,
and each new worker parses the annotation table again before its first item.
First screen should say: the main thread waits for the first batch of every
epoch (`for x, y in loader`, DataLoader.__iter__ / _next_data); the two workers
of each epoch die with it and their successors repeat Reads._open; N seconds in
all (the `truth` line: wait for the first batch, of all epochs but the first, and
for the end of the workers after the last batch).
Mend: persistent_workers=True (or load the table in __init__, before the fork).
"""
import os
import random
import tempfile
import time

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # the machine is shared: no spinning
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.set_num_threads(2)
BASES = "ACGT"


def write_annotations(path, n=40000):
    rnd = random.Random(4)
    with open(path, "w") as f:
        for i in range(n):
            seq = "".join(rnd.choices(BASES, k=40))
            f.write("read%06d\t%s\t%.4f\t%s\n" % (i, seq, rnd.random(), "chr%d" % rnd.randint(1, 22)))


class Reads(Dataset):
    """Handles do not survive a fork, so every worker opens its own on first use."""

    def __init__(self, path, size):
        self.path, self.size = path, size
        self.rows = None

    def _open(self):
        rows = []
        with open(self.path) as f:
            for line in f:
                name, seq, score, chrom = line.rstrip("\n").split("\t")
                rows.append((name, seq, float(score), int(chrom[3:])))
        self.rows = rows

    def __len__(self):
        return self.size

    def __getitem__(self, i):
        if self.rows is None:
            self._open()
        _, seq, score, _ = self.rows[i * 7]
        x = torch.tensor([BASES.index(c) for c in seq])
        return nn.functional.one_hot(x, 4).float().t(), int(seq.count("G") + score > 10.5)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Flatten(), nn.Linear(160, 96), nn.ReLU())
        self.head = nn.Linear(96, 2)

    def forward(self, x):
        return self.head(self.body(x))


def main():
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "reads.tsv")
        write_annotations(path)
        loader = DataLoader(Reads(path, 480), batch_size=64, shuffle=True, num_workers=2)
        net, first_wait = Net(), 0.0
        opt = torch.optim.Adam(net.parameters(), 1e-3)
        for epoch in range(15):
            t0, total, first = time.perf_counter(), 0.0, True
            for x, y in loader:  # FAULT waiting-for-data
                if first and epoch:
                    first_wait += time.perf_counter() - t0
                first = False
                loss = nn.functional.cross_entropy(net(x), y)
                opt.zero_grad()
                loss.backward()
                opt.step()
                total += loss.item() * len(y)
                last = time.perf_counter()
            first_wait += time.perf_counter() - last
        print("last loss %.4f" % (total / 480))
    print("truth %.3f" % first_wait)


if __name__ == "__main__":
    main()
