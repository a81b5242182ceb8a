"""Trains, and saves model and optimizer every few steps."""
import time

import torch
from torch import nn

spent = 0.0


def checkpoint(net, optimizer):
    global spent
    began = time.perf_counter()
    torch.save({"net": net.state_dict(), "optimizer": optimizer.state_dict()}, "last.pt")  # FAULT checkpoints
    spent += time.perf_counter() - began


def main():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(2048, 4096), nn.GELU(), nn.Linear(4096, 2048)).cuda()
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-4)
    x = torch.randn(1024, 2048, device="cuda")
    for step in range(200):
        optimizer.zero_grad()
        loss = (net(x) - x).square().mean()
        loss.backward()
        optimizer.step()
        torch.cuda.synchronize()
        if step % 20 == 19:
            checkpoint(net, optimizer)
    print("loss %.4f" % loss)
    print("truth %.3f" % spent)


main()
