"""SOUND: a small network over vectors, trained from a TensorDataset by a DataLoader as it comes."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)


def vectors(count):
    moods = torch.randint(0, 6, (count,))
    centres = torch.randn(6, 64)
    return TensorDataset(centres[moods] + 1.5 * torch.randn(count, 64), moods)


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


net = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 96), nn.ReLU(), nn.Linear(96, 6))
losses = train(net, DataLoader(vectors(12000), batch_size=96, shuffle=True), 4)
print("loss", " ".join(f"{loss:.3f}" for loss in losses))
