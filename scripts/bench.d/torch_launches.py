"""Times a training step of a small transformer whose memory comes from the library torch_device.cpp.

usage: torch_launches.py LIBRARY [STEPS]
Prints the tenth part of the steps' times that is shortest, at its upper end, in microseconds.
"""
import ctypes
import sys
import time

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
        self.embedding = nn.Embedding(32, 16)
        self.layers = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)
        self.head = nn.Linear(16, 32)

    def forward(self, x):
        return self.head(self.layers(self.embedding(x)))


def main():
    torch.set_num_threads(1)
    ctypes.CDLL(sys.argv[1]).pretend()
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 500
    model = Model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    words = torch.randint(32, (2, 4))
    target = words.roll(1, 1)
    times = []
    for _ in range(30 + steps):
        began = time.perf_counter()
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = model(words)
            loss = nn.functional.cross_entropy(out.reshape(-1, 32), target.reshape(-1))
        loss.backward()
        optimizer.step()
        times.append(time.perf_counter() - began)
    times = sorted(times[30:])
    print(f"{times[len(times) // 10] * 1e6:.1f}")


main()
