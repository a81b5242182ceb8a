"""Sound: trains a small convolution network on tensors made in one go, then tests it without gradients.

The time is in the convolutions; there is nothing here that is worth mending.
"""
import torch

BATCH, SIZE = 64, 20


def pictures(n, generator):
    kinds = torch.randint(0, 3, (n,), generator=generator)
    images = 0.6 * torch.randn(n, 1, SIZE, SIZE, generator=generator)
    ramp = torch.arange(SIZE) / SIZE
    patterns = torch.stack([ramp.expand(SIZE, SIZE), ramp[:, None].expand(SIZE, SIZE), (ramp + ramp[:, None]) % 0.5 * 2])
    return images + patterns[kinds][:, None], kinds


def network():
    return torch.nn.Sequential(
        torch.nn.Conv2d(1, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
        torch.nn.Conv2d(8, 16, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
        torch.nn.Flatten(), torch.nn.Linear(16 * 25, 3))


def train(net, images, kinds, rounds):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.03, momentum=0.9)
    for _ in range(rounds):
        for some, truth in zip(images.split(BATCH), kinds.split(BATCH)):
            optimizer.zero_grad(set_to_none=True)
            torch.nn.functional.cross_entropy(net(some), truth).backward()
            optimizer.step()


@torch.no_grad()
def accuracy(net, images, kinds):
    right = sum(int((net(some).argmax(1) == truth).sum()) for some, truth in zip(images.split(512), kinds.split(512)))
    return right / len(kinds)


torch.set_num_threads(1)
torch.manual_seed(1)
generator = torch.Generator().manual_seed(2)
net = network()
train(net, *pictures(2560, generator), rounds=9)
print("accuracy", round(accuracy(net, *pictures(2048, generator)), 3))
