"""Detection head: the boxes that count are picked by a mask in each step."""
import torch
from torch import nn


def boxes_loss(boxes, scores, target):
    total = 0.0
    for level in range(boxes.shape[0]):
        sure = scores[level] > 0.2
        total = total + (boxes[level][sure] - target[level][sure]).abs().sum()  # FAULT synchronisation
    return total / boxes.shape[0]


def main():
    torch.manual_seed(0)
    levels, anchors = 24, 4096
    body = nn.Sequential(nn.Linear(128, 256), nn.ReLU(), nn.Linear(256, 5)).cuda()
    optimizer = torch.optim.SGD(body.parameters(), lr=1e-4)
    x = torch.randn(levels, anchors, 128, device="cuda")
    target = torch.randn(levels, anchors, 4, device="cuda")
    for step in range(300):
        optimizer.zero_grad()
        out = body(x)
        loss = boxes_loss(out[..., :4], out[..., 4], target)
        loss.backward()
        optimizer.step()
    print("loss %.4f" % loss)


main()
