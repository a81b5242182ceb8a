"""Fits a new last layer on a network that is already trained, to tell three kinds of leaves apart.

What is wrong: only the last layer is given to the optimizer, but the parameters of the body still require gradients, so
each backward pass goes through the whole body for gradients that nobody uses.
First screen should say: most of the time is in loss.backward() (convolution backward) for parameters that the optimizer
does not hold: freeze the body (requires_grad_(False)) and the backward pass ends at the head.
Mend: body.requires_grad_(False).
"""
import time

import torch
from torch import nn

BATCH = 12
STEPS = 200


def body():
    """Stands for a network from the model zoo with its weights."""
    torch.manual_seed(42)
    layers = []
    channels = 3
    for width in (32, 64, 128):
        layers += [nn.Conv2d(channels, width, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
        channels = width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(3), nn.Flatten())


class Leaves:
    """Pictures of leaves: spots in one of three patterns."""

    def __init__(self, size=32):
        y, x = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
        self.patterns = torch.stack([torch.sin(x / 3.0), torch.sin(y / 3.0), torch.sin((x + y) / 4.0)])
        draw = torch.Generator().manual_seed(6)
        self.kinds = torch.randint(0, 3, (BATCH * STEPS,), generator=draw)
        pictures = self.patterns[self.kinds].unsqueeze(1).repeat(1, 3, 1, 1)
        pictures += torch.randn(pictures.shape, generator=draw) * 0.7
        self.pictures = (pictures - pictures.mean()) / pictures.std()

    def batches(self):
        return zip(self.pictures.split(BATCH), self.kinds.split(BATCH))


class Classifier(nn.Module):
    def __init__(self, body, kinds):
        super().__init__()
        self.body = body  # FAULT unused-gradients
        self.head = nn.Linear(128 * 9, kinds)

    def forward(self, pictures):
        return self.head(self.body(pictures))


def fine_tune(model, leaves):
    optimizer = torch.optim.Adam(model.head.parameters(), lr=0.002)
    spent = 0.0
    for step, (pictures, kinds) in enumerate(leaves.batches()):
        optimizer.zero_grad()
        logits = model(pictures)
        loss = nn.functional.cross_entropy(logits, kinds)
        began = time.perf_counter()
        loss.backward()  # FAULT unused-gradients
        spent += time.perf_counter() - began
        optimizer.step()
        if step % 40 == 39:
            right = (logits.argmax(1) == kinds).sum().item()
            print("step %2d loss %.3f right %2d of %d" % (step, loss.item(), right, BATCH))
    return spent


def main():
    torch.set_num_threads(1)
    model = Classifier(body(), kinds=3)
    spent = fine_tune(model, Leaves())
    print("truth %.3f" % spent)


main()
