"""A convolutional network in reduced precision, its pictures brought by pinned copies ahead of time."""
import torch
from torch import nn


def main():
    torch.manual_seed(0)
    blocks = [layer for _ in range(8) for layer in (nn.Conv2d(256, 256, 3, padding=1, bias=False), nn.BatchNorm2d(256), nn.ReLU())]
    net = nn.Sequential(nn.Conv2d(3, 256, 3, 2), *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(256, 100))
    net = net.cuda().to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-3, momentum=0.9)
    pool = [torch.rand(128, 3, 128, 128).pin_memory() for _ in range(4)]
    target = torch.randint(100, (128,), device="cuda")
    ahead, side = None, torch.cuda.Stream()

    def bring(i):
        with torch.cuda.stream(side):
            return pool[i % 4].to("cuda", non_blocking=True).to(memory_format=torch.channels_last)

    ahead = bring(0)
    for step in range(90):
        torch.cuda.current_stream().wait_stream(side)
        x, ahead = ahead, bring(step + 1)
        x.record_stream(torch.cuda.current_stream())
        optimizer.zero_grad()
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = nn.functional.cross_entropy(net(x), target)
        loss.backward()
        optimizer.step()
    print("loss %.4f" % loss)


main()
