"""Trains a model under torch.profiler, in the same process that libprof records, and prints what torch.profiler counted.

usage: torch_ops.py MODEL STEPS [shapes] [memory]     MODEL: mlp, transformer or resnet; the rest: what is to be counted

What is compared is what stands in the scope "window", which is none of them.
"""
import json
import sys

import torch
from torch import nn
from torch.autograd.profiler_util import EventList
from torch.profiler import ProfilerActivity, profile, record_function

# By whole microseconds, in which older versions tell times, one of two short calls of an operator, one after the other,
# may lie in the other; torch.profiler would take it for an overload that calls the other, and leave it out.
leave_out = EventList._remove_dup_nodes


def leave_out_where_times_are_finer(events):
    if any(event.time_range.start % 1 for event in events):
        leave_out(events)


EventList._remove_dup_nodes = leave_out_where_times_are_finer


def transformer():
    layer = nn.TransformerEncoderLayer(64, 4, 128, batch_first=True)
    return nn.Sequential(nn.TransformerEncoder(layer, 2), nn.Flatten(), nn.Linear(64 * 32, 10)), torch.randn(16, 32, 64)


def resnet():
    from torchvision.models import resnet18

    return resnet18(num_classes=10), torch.randn(4, 3, 64, 64)


def mlp():
    layers = [nn.Linear(256, 512), nn.ReLU(), nn.LayerNorm(512), nn.Dropout(0.1), nn.Linear(512, 10)]
    return nn.Sequential(*layers), torch.randn(128, 256)


def training(name):
    """The function that does one step of training a model."""
    torch.manual_seed(1)
    torch.set_num_threads(1)
    model, inputs = {"transformer": transformer, "resnet": resnet, "mlp": mlp}[name]()
    labels = torch.randint(0, 10, (len(inputs),))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001, momentum=0.9)
    loss_of = nn.CrossEntropyLoss()

    def step():
        optimizer.zero_grad()
        loss = loss_of(model(inputs), labels)
        loss.backward()
        optimizer.step()

    return step


def main():
    step, steps = training(sys.argv[1]), int(sys.argv[2])
    shapes, memory = "shapes" in sys.argv[3:], "memory" in sys.argv[3:]
    step()  # what is made once is made
    with record_function("window"):
        with profile(activities=[ProfilerActivity.CPU], record_shapes=shapes, profile_memory=memory) as profiler:
            for _ in range(steps):
                step()
    rows = []
    for event in profiler.key_averages(group_by_input_shape=shapes):
        rows.append({
            "name": event.key,
            "shapes": str(event.input_shapes) if shapes else "",
            "calls": event.count,
            "self_us": event.self_cpu_time_total,
            "total_us": event.cpu_time_total,
            "self_bytes": event.self_cpu_memory_usage,
            "bytes": event.cpu_memory_usage,
        })
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
