"""Trains, and keeps each loss for a plot: with it the whole graph that it came from."""
import torch
from torch import nn


def main():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(1024, 4096), nn.GELU(), nn.Linear(4096, 1024)).cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
    history = []
    for step in range(200):
        x = torch.randn(2048, 1024, device="cuda")
        optimizer.zero_grad()
        out = net(x)  # FAULT kept-graphs device-memory-grows
        loss = (out - x).square().mean()  # FAULT kept-graphs device-memory-grows
        loss.backward()
        optimizer.step()
        history.append((loss, out.square().mean()))  # FAULT kept-graphs device-memory-grows
    print("loss %.4f" % history[-1][0])
    print("truth %d bytes" % torch.cuda.memory_allocated())


main()
