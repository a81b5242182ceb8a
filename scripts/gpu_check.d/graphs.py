"""A captured graph of small kernels, for the programs that replay one."""
import torch
from torch import nn


def captured(layers):
    net = nn.Sequential(*[nn.Linear(256, 256) for _ in range(layers)]).cuda()
    x = torch.randn(64, 256, device="cuda")
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(3):
            net(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        net(x)
    return graph, (net, x)  # what it works on has to stay
