# Trains a model whose modules take known parts of the time. torch_modules.py STEPS
import sys

import torch
from torch import nn


class Heavy(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(200, 200)

    def forward(self, x):
        for _ in range(6):
            x = self.layer(x)
        return x


class Light(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(200, 200)

    def forward(self, x):
        return self.layer(x)  # light


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.Sequential(Heavy(), Light())
        self.last = Light()

    def forward(self, x):
        x = self.parts(x)  # parts
        return self.last(x)  # last


torch.manual_seed(1)
torch.set_num_threads(1)
net, x = Net(), torch.randn(200, 200)
for _ in range(int(sys.argv[1])):
    net(x).sum().backward()
print("done")
