"""Trains a small network of convolutions on the CPU.

usage: torch_convolutions.py STEPS
"""
import sys

import torch
from torch import nn

model = nn.Sequential(nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(),
                      nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10))
optimizer = torch.optim.SGD(model.parameters(), 0.1)
images, labels = torch.randn(16, 3, 32, 32), torch.randint(0, 10, (16,))
for _ in range(int(sys.argv[1])):
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(images), labels).backward()
    optimizer.step()
