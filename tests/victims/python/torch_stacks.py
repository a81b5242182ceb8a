"""Trains a model under torch.profiler with stacks and FLOPs, in the same process that libprof records, and prints what
torch.profiler says: calls and FLOPs by operator and by the Python functions that called it.

usage: torch_stacks.py MODEL STEPS     MODEL: mlp, transformer or resnet

What is compared is what stands in the scope "window", which is none of them. A frame is [file, function], without the
entries of torch.profiler's that are no functions of Python.
"""
import json
import os
import re
import sys

from torch.profiler import ProfilerActivity, profile, record_function

from torch_ops import training


def frames(stack):
    for entry in stack:
        known = re.fullmatch(r"(.*)\(\d+\): (.*)", entry)
        if known:
            yield [os.path.basename(known[1]), known[2]]


def backward_function(event):
    """The backward function that an event is, or is inside of."""
    while event is not None and event.scope != 1:
        event = event.cpu_parent
    return event


def stacks(events):
    """Each event with its stack. That of a backward function is told by the number that it has in common with the
    operator which made it. Operators before that one may have the number too, without having made anything:
    torch.profiler takes the first of them, here it is the last. What no operator made has the stack that runs it.
    """
    makers, running = {}, {}
    for event in events:
        if backward_function(event) is None and "evaluate_function" not in event.name:
            makers[event.sequence_nr, event.thread] = event.stack
    for event in events:
        function = backward_function(event)
        if "evaluate_function" in event.name:
            running[event.thread] = event.stack
        if function is None:
            yield event, event.stack
        else:
            yield event, makers.get((function.sequence_nr, function.fwd_thread), running.get(event.thread, []))


def main():
    step, steps = training(sys.argv[1]), int(sys.argv[2])
    step()
    with record_function("window"):
        with profile(activities=[ProfilerActivity.CPU], with_stack=True, with_flops=True) as profiler:
            for _ in range(steps):
                step()
    rows = {}
    for event, stack in stacks(profiler.events()):
        key = json.dumps([event.name, list(frames(stack))])
        row = rows.setdefault(key, [0, 0])
        row[0] += 1
        row[1] += event.flops or 0
    print(json.dumps([json.loads(key) + row for key, row in rows.items()]))


main()
