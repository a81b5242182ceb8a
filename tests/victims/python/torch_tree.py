"""Trains a model under torch.profiler, in the same process that libprof records, and prints what torch.profiler's tree of
events holds: times in ns, and each piece of memory on the operator that was running, where its tables have microseconds.

usage: torch_tree.py MODEL STEPS     MODEL: as of torch_ops.py

What is compared is what stands in the scope "window", which is none of them: torch.profiler has operators of its own at its
beginning and its end.
"""
import json
import sys
from collections import defaultdict

from torch.profiler import ProfilerActivity, profile, record_function

from torch_ops import training


def fields(event):
    return event.extra_fields if hasattr(event, "extra_fields") else event.typed[1]


def is_operator(event):
    return type(fields(event)).__name__ == "_ExtraFields_TorchOp"


def host_bytes(event):
    if type(fields(event)).__name__ != "_ExtraFields_Allocation":
        return 0
    return fields(event).alloc_size


def sizes(value):
    """Of one input, as torch.profiler's tables print it."""
    if isinstance(value, list):  # of tensors
        return [list(one.sizes) for one in value]
    return list(value.sizes) if hasattr(value, "sizes") else []


def shapes_of(event):
    inputs = fields(event).inputs
    if hasattr(inputs, "shapes"):  # before 2.0
        return str([list(shape) for shape in inputs.shapes])
    return str([sizes(value) for value in inputs])


class Table:
    """Calls, times and memory by name and shapes. An operator within itself adds nothing to its totals, and one that does
    nothing but call one of the same name is one with it."""

    def __init__(self):
        self.rows = defaultdict(lambda: {"calls": 0, "self_ns": 0, "total_ns": 0, "self_bytes": 0, "bytes": 0})

    def add(self, event, around=(), merged=None):
        key = merged or (event.name, shapes_of(event))
        row, inner = self.rows[key], [child for child in event.children if is_operator(child)]
        total_ns = event.duration_time_ns
        self_bytes = sum(host_bytes(child) for child in event.children)
        row["self_ns"] += total_ns - sum(child.duration_time_ns for child in inner)
        row["self_bytes"] += self_bytes
        one = len(inner) == 1 and inner[0].name == event.name
        total_bytes = self_bytes
        for child in inner:
            total_bytes += self.add(child, around + (key,), key if one else None)
        if merged is None:
            row["calls"] += 1
            if key not in around:
                row["total_ns"] += total_ns
                row["bytes"] += total_bytes
        return total_bytes


def main():
    step, steps = training(sys.argv[1]), int(sys.argv[2])
    step()  # what is made once is made
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True, profile_memory=True) as profiler:
        with record_function("window"):
            for _ in range(steps):
                step()
    table = Table()
    for event in profiler.profiler.kineto_results.experimental_event_tree():
        if event.name == "window":
            for inner in filter(is_operator, event.children):
                table.add(inner)
    print(json.dumps([{"name": name, "shapes": shapes, **row} for (name, shapes), row in table.rows.items()]))


if __name__ == "__main__":
    main()
