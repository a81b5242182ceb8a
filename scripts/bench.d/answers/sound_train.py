"""SOUND: A healthy small training loop: data in memory, batches of tensors, log once an epoch. glibc is told to keep
freed memory (fresh_memory.py is the same without)."""
import ctypes
import torch
from torch import nn

M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_THRESHOLD = -1, -2, -3
for option, value in ((M_MMAP_THRESHOLD, 1 << 30), (M_TRIM_THRESHOLD, 1 << 30), (M_TOP_PAD, 1 << 20)):
    ctypes.CDLL(None).mallopt(option, value)


def data(n):
    torch.manual_seed(0)
    x = torch.randn(n, 1, 16, 16)
    return x, (x.mean(dim=(1, 2, 3)) > 0).long()


def main():
    x, y = data(6400)
    model = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                          nn.Conv2d(16, 16, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(16 * 64, 2))
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for epoch in range(2):
        order = torch.randperm(len(x))
        total = torch.zeros(())
        for i in range(0, len(x), 64):
            k = order[i:i + 64]
            loss = nn.functional.cross_entropy(model(x[k]), y[k])
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            total += loss.detach()
        print("epoch %d loss %.4f" % (epoch, total.item() / (len(x) // 64)))


main()
