"""A training loop that keeps each step's loss with its whole graph, and a cache that fills up and then stays as it is.

usage: leaky_training.py STEPS    needs torch
"""
import sys
import time

import torch

torch.manual_seed(1)
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 8))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
history = []
cache = {}


def cached(step):
    key = step % 12
    if key not in cache:
        cache[key] = torch.zeros(1 << 18)  # CACHE
    return cache[key]


def main():
    for step in range(int(sys.argv[1])):
        cached(step)
        loss = model(torch.randn(256, 64)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        history.append(torch.randn(256, 256) + loss)  # LEAK
        time.sleep(0.05)  # as if there were more to train


main()
print(len(history), len(cache))
