"""A recurrent network whose cell is written out, one step of the sequence after the other."""
import torch
from torch import nn


class Recurrent(nn.Module):
    def __init__(self, width=256):
        super().__init__()
        self.of_input = nn.Linear(width, 4 * width)
        self.of_state = nn.Linear(width, 4 * width)

    def forward(self, x):
        h = c = torch.zeros_like(x[0])
        for t in range(x.shape[0]):
            gates = self.of_input(x[t]) + self.of_state(h)  # FAULT launch-bound
            i, f, g, o = gates.chunk(4, 1)  # FAULT launch-bound
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)  # FAULT launch-bound
            h = torch.sigmoid(o) * torch.tanh(c)  # FAULT launch-bound
        return h


def main():
    torch.manual_seed(0)
    net = Recurrent().cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
    x = torch.randn(128, 64, 256, device="cuda")
    for step in range(80):
        optimizer.zero_grad()
        loss = net(x).square().mean()
        loss.backward()
        optimizer.step()
    print("loss %.4f" % loss)


main()
