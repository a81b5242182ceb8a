"""Fine-tune a linear head on top of a frozen image backbone for defect detection."""
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def conv_block(cin, cout):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, padding=1, bias=False),
        nn.BatchNorm2d(cout), nn.ReLU(inplace=True), nn.MaxPool2d(2),
    )


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.stages = nn.Sequential(
            conv_block(3, 32), conv_block(32, 64), conv_block(64, 128),
        )
        self.pool = nn.AdaptiveAvgPool2d(1)

    def forward(self, x):
        return self.pool(self.stages(x)).flatten(1)


def load_parts(n=300, size=48):
    g = torch.Generator().manual_seed(21)
    images = torch.rand(n, 3, size, size, generator=g)
    labels = (images.mean(dim=(1, 2, 3)) > 0.5).long()
    return TensorDataset(images, labels)


def freeze(module):
    module.eval()
    for p in module.parameters():
        p.requires_grad_(False)
    return module


class Trainer:
    def __init__(self, backbone, head, lr=1e-2):
        self.backbone = backbone
        self.head = head
        self.optimizer = torch.optim.Adam(head.parameters(), lr=lr)
        self.backbone_seconds = 0.0

    def step(self, images, labels):
        start = time.perf_counter()
        features = self.backbone(images)  # FAULT frozen-forward
        self.backbone_seconds += time.perf_counter() - start
        loss = nn.functional.cross_entropy(self.head(features), labels)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def fit(self, loader, epochs):
        for epoch in range(epochs):
            losses = [self.step(x, y) for x, y in loader]
            print(f"epoch {epoch}: {sum(losses) / len(losses):.4f}")


def main():
    torch.manual_seed(2)
    epochs = 8
    loader = DataLoader(load_parts(), batch_size=64, shuffle=True)
    trainer = Trainer(freeze(Backbone()), nn.Linear(128, 2))
    trainer.fit(loader, epochs)
    saved = trainer.backbone_seconds * (epochs - 1) / epochs
    print(f"truth {saved:.3f}")


if __name__ == "__main__":
    main()
