"""Prints the CPU time of one torch.add in nanoseconds and of one training step of a small transformer in microseconds,
and what such a step takes of the whole process when the end of the recording is shared out among the steps.

usage: torch_ops.py [torch|torch-details]      what torch.profiler records meanwhile (details: shapes and memory); without
it nothing
"""
import contextlib
import sys
import time

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile

torch.manual_seed(1)
torch.set_num_threads(1)
a, b = torch.ones(4), torch.ones(4)
model = nn.TransformerEncoderLayer(32, 2, 64, batch_first=True)
inputs = torch.randn(4, 8, 32)
optimizer = torch.optim.SGD(model.parameters(), lr=0.001)


def adds():
    add = torch.add
    for _ in range(500):
        add(a, b)


def step():
    optimizer.zero_grad()
    model(inputs).square().mean().backward()
    optimizer.step()


# The least of many short runs is not what the machine did beside it.
def least(run, count, times):
    best = float("inf")
    for _ in range(times):
        began = time.thread_time_ns()
        for _ in range(count):
            run()
        best = min(best, (time.thread_time_ns() - began) / count)
    return best


def recorded():
    if len(sys.argv) < 2:
        return contextlib.nullcontext()
    details = sys.argv[1] == "torch-details"
    return profile(activities=[ProfilerActivity.CPU], record_shapes=details, profile_memory=details)


least(adds, 2, 5), least(step, 1, 20)
with recorded():
    one = least(adds, 2, 60)
steps = 150
began = time.process_time_ns()
with recorded():
    whole = least(step, 1, steps)
shared = (time.process_time_ns() - began) / steps
print(f"{one / 500:.1f} {whole / 1e3:.1f} {shared / 1e3:.1f}")
