"""Trains a small model on synthetic data on a GPU and prints one JSON object: what gpu_check compares with.

usage: train.py resnet|transformer [--steps N] [--amp] [--graph] [--profiler] [--flops] [--processes N]

--profiler records the measured steps with torch.profiler and tells its kernels; --flops tells what
torch.utils.flop_counter counts in a step; --processes trains in that many processes at once.
"""
import argparse
import json
import os
import time

import torch
from torch import nn
import torch.nn.functional as F

WARM_UP = 5


class Block(nn.Module):
    """The basic block of a ResNet."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.first = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.second = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.norms = nn.ModuleList([nn.BatchNorm2d(outputs), nn.BatchNorm2d(outputs)])
        self.short = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.short = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = F.relu(self.norms[0](self.first(x)))
        return F.relu(self.norms[1](self.second(y)) + self.short(x))


def resnet18():
    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    inputs = 64
    for outputs, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        layers += [Block(inputs, outputs, stride), Block(outputs, outputs, 1)]
        inputs = outputs
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 100))


class Transformer(nn.Module):
    def __init__(self, words=8192, width=512, layers=4):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        layer = nn.TransformerEncoderLayer(width, 8, 4 * width, dropout=0.0, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.head = nn.Linear(width, words)

    def forward(self, x):
        return self.head(self.layers(self.embedding(x)))


def make(name, device):
    if name == "resnet":
        return resnet18().to(device), torch.randn(64, 3, 224, 224, device=device), torch.randint(100, (64,), device=device)
    words = torch.randint(8192, (16, 256), device=device)
    return Transformer().to(device), words, torch.roll(words, 1, 1)


def train(name, options):
    torch.manual_seed(0)
    device = torch.device("cuda", 0)
    model, data, target = make(name, device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    loss_of = nn.CrossEntropyLoss()

    def forward_backward():
        optimizer.zero_grad(set_to_none=not options.graph)
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=options.amp):
            out = model(data)
            loss = loss_of(out.reshape(-1, out.shape[-1]), target.reshape(-1))
        loss.backward()
        optimizer.step()
        return loss

    step = forward_backward
    if options.graph:
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                forward_backward()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            kept = forward_backward()

        def step():
            graph.replay()
            return kept

    for _ in range(WARM_UP):
        step()
    torch.cuda.synchronize()

    result = {"model": name, "steps": options.steps, "pid": os.getpid()}
    if options.flops:
        from torch.utils.flop_counter import FlopCounterMode

        with FlopCounterMode(display=False) as counter:
            forward_backward()
        torch.cuda.synchronize()
        result["flops_of_a_step"] = counter.get_total_flops()

    times = []

    def measured():
        for _ in range(options.steps):
            start = time.perf_counter()
            step()
            torch.cuda.synchronize()
            times.append(time.perf_counter() - start)

    # The window that a recording with --capture-range cudaProfilerApi sees.
    torch.cuda.cudart().cudaProfilerStart()
    if options.profiler:
        from torch.profiler import ProfilerActivity, profile

        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
            measured()
        kernels = {}
        for event in profiler.profiler.kineto_results.events():
            if event.device_type() != torch.autograd.DeviceType.CUDA:
                continue
            if hasattr(event, "is_user_annotation") and event.is_user_annotation():
                continue
            duration = event.duration_ns() if hasattr(event, "duration_ns") else event.duration_us() * 1000
            counted = kernels.setdefault(event.name(), [0, 0])
            counted[0] += 1
            counted[1] += duration
        result["kernels"] = kernels
    else:
        measured()
    torch.cuda.cudart().cudaProfilerStop()

    times.sort()
    result["step_s"] = times[len(times) // 2]
    result["peak_tensor_bytes"] = torch.cuda.max_memory_allocated()
    result["peak_reserved_bytes"] = torch.cuda.max_memory_reserved()
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model", choices=("resnet", "transformer"))
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--processes", type=int, default=1)
    for switch in ("amp", "graph", "profiler", "flops"):
        parser.add_argument("--" + switch, action="store_true")
    options = parser.parse_args()
    if options.processes == 1:
        print(json.dumps(train(options.model, options)))
        return
    import torch.multiprocessing as multiprocessing

    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=work, args=(rank, options)) for rank in range(options.processes)]
    for rank, worker in enumerate(workers):  # a launcher sets it before a process starts
        os.environ["RANK"] = str(rank)
        worker.start()
    for worker in workers:
        worker.join()
    raise SystemExit(max(worker.exitcode or 0 for worker in workers))


def work(rank, options):
    print(json.dumps(train(options.model, options)), flush=True)


if __name__ == "__main__":
    main()
