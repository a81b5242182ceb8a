"""Trains a little network with gates, step by step.

What is wrong: torch.autograd.detect_anomaly, switched on once to find a nan, was left on: each operation of the forward
pass records a Python traceback, and each of the backward pass checks its result for nan.
First screen should say: the training steps spend most of their time in autograd's anomaly mode (traceback.format_stack in
the forward pass) - detect_anomaly is on in Trainer.step.
Mend: leave detect_anomaly out.
"""
import contextlib
import statistics
import time
import warnings

import torch

warnings.filterwarnings("ignore", message="Anomaly Detection")
torch.set_num_threads(1)
STEPS = 190


class Gate(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.value = torch.nn.Linear(width, width)
        self.gate = torch.nn.Linear(width, width)
        self.scale = torch.nn.Parameter(torch.ones(width))

    def forward(self, x):
        opened = torch.sigmoid(self.gate(x))
        y = torch.tanh(self.value(x)) * opened + x * (1 - opened)
        return (y - y.mean(-1, keepdim=True)) * self.scale


class Net(torch.nn.Module):
    def __init__(self, width, depth, classes):
        super().__init__()
        self.gates = torch.nn.ModuleList(Gate(width) for _ in range(depth))
        self.head = torch.nn.Linear(width, classes)

    def forward(self, x):
        for gate in self.gates:
            x = gate(x)
        return self.head(x)


class Trainer:
    def __init__(self, net):
        self.net = net
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
        self.spent = 0.0

    def one(self, x, y):
        self.optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(self.net(x), y)  # FAULT anomaly-detection
        loss.backward()  # FAULT anomaly-detection
        self.optimizer.step()
        return loss.item()

    def step(self, x, y):
        began = time.perf_counter()
        with torch.autograd.detect_anomaly():  # FAULT anomaly-detection
            loss = self.one(x, y)
        self.spent += time.perf_counter() - began
        return loss


def batches(n, generator):
    centres = torch.randn(8, 64, generator=generator)
    for _ in range(n):
        y = torch.randint(0, 8, (48,), generator=generator)
        yield centres[y] + 0.8 * torch.randn(48, 64, generator=generator), y


torch.manual_seed(1)
generator = torch.Generator().manual_seed(2)
trainer = Trainer(Net(64, 10, 8))
losses = [trainer.step(x, y) for x, y in batches(STEPS, generator)]
print("loss", round(losses[0], 4), "to", round(losses[-1], 4))
usual = []
for x, y in batches(18, generator):
    began = time.perf_counter()
    trainer.one(x, y)
    usual.append(time.perf_counter() - began)
print("truth", trainer.spent - statistics.median(usual) * STEPS)
