"""Trains an MLP and watches the norm of what each layer gives."""
import torch
from torch import nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self, width=512, layers=24):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(width, width) for _ in range(layers)])
        self.norms = [0.0] * layers

    def forward(self, x):
        for i, layer in enumerate(self.layers):
            x = x + F.gelu(layer(x))
            self.norms[i] = 0.9 * self.norms[i] + 0.1 * x.norm().item()  # FAULT synchronisation
        return x


def main():
    torch.manual_seed(0)
    net = Net().cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-4)
    x = torch.randn(4096, 512, device="cuda")
    for step in range(400):
        optimizer.zero_grad()
        loss = F.mse_loss(net(x), x)
        loss.backward()
        optimizer.step()
    print("loss %.4f, norm %.1f" % (loss, net.norms[-1]))


main()
