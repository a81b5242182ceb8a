"""Fine-tunes a network of many small layers with an optimizer that takes one parameter after the other."""
import torch
from torch import nn


def main():
    torch.manual_seed(0)
    net = nn.Sequential(*[layer for _ in range(120) for layer in (nn.Linear(128, 128), nn.LayerNorm(128))]).cuda()
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-4, foreach=False)
    x = torch.randn(512, 128, device="cuda")
    for step in range(120):
        optimizer.zero_grad()
        loss = (net(x) - x).square().mean()
        loss.backward()
        optimizer.step()  # FAULT launch-bound
    print("loss %.4f" % loss)


main()
