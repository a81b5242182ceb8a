"""Replays a graph before, while and after torch.profiler records, twice. Prints what the profiler told."""
import json

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile


def captured():
    net = nn.Sequential(*[nn.Linear(256, 256) for _ in range(10)]).cuda()
    x = torch.randn(64, 256, device="cuda")
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(3):
            net(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        net(x)
    return graph


def replay(graph):
    for _ in range(50):
        graph.replay()
    torch.cuda.synchronize()


@torch.no_grad()
def main():
    graph = captured()
    replay(graph)
    told = 0
    for _ in range(2):
        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
            replay(graph)
        told += sum(e.device_type() == torch.autograd.DeviceType.CUDA for e in profiler.profiler.kineto_results.events())
        replay(graph)
    print(json.dumps({"theirs": told}))


main()
