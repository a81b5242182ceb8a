"""SOUND: a small convolutional network, trained from a TensorDataset by a DataLoader as it comes."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)


def patches(count):
    pictures = torch.randn(count, 1, 16, 16)
    return TensorDataset(pictures, (pictures[:, :, :8].mean((1, 2, 3)) > 0).long())


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 12, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten())
        self.head = nn.Linear(12 * 49, 2)

    def forward(self, x):
        return self.head(self.body(x))


def train(net, loader, epochs):
    optimizer = torch.optim.Adam(net.parameters())
    history = []
    for _ in range(epochs):
        total, seen = torch.zeros(()), 0
        for x, y in loader:
            loss = nn.functional.cross_entropy(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.detach() * len(y)
            seen += len(y)
        history.append((total / seen).item())
    return history


losses = train(Net(), DataLoader(patches(12000), batch_size=128, shuffle=True), 3)
print("loss", " ".join(f"{loss:.3f}" for loss in losses))
