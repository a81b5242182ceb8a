"""Run a single-stage detector over a stream of camera frames and count boxes."""
import os
import time

import torch
import torch.nn as nn
import torchvision
from torchvision.ops import nms

DEVICE = os.environ.get("DEVICE", "cuda")
SMALL = os.environ.get("SMALL") == "1"
BATCH, SIZE, BATCHES, TOP = (2, 128, 2, 100) if SMALL else (16, 1024, 110, 1500)
STRIDE, ANCHORS = 16, 9
MAX_SECONDS = 45


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        net = torchvision.models.resnet101(weights=None)
        self.body = nn.Sequential(net.conv1, net.bn1, net.relu, net.maxpool,
                                  net.layer1, net.layer2, net.layer3)
        self.head = nn.Conv2d(1024, ANCHORS * 5, 1)
        cells = SIZE // STRIDE
        ys, xs = torch.meshgrid(torch.arange(cells), torch.arange(cells), indexing="ij")
        centre = torch.stack([xs, ys], -1).float().reshape(-1, 1, 2) * STRIDE + STRIDE / 2
        side = torch.linspace(12, 48, ANCHORS).reshape(1, -1, 1)
        self.register_buffer("centre", centre.expand(-1, ANCHORS, 2).reshape(-1, 2).clone())
        self.register_buffer("side", side.expand(cells * cells, -1, 2).reshape(-1, 2).clone())

    def forward(self, x):
        out = self.head(self.body(x)).float()
        out = out.permute(0, 2, 3, 1).reshape(x.shape[0], -1, 5)
        centre = self.centre + out[..., :2].tanh() * STRIDE
        half = self.side * out[..., 2:4].tanh().exp() / 2
        return torch.cat([centre - half, centre + half], -1), out[..., 4]


def select(boxes, scores):
    kept = []
    for b, s in zip(boxes, scores):
        s, order = s.topk(TOP)
        b = b[order].cpu()  # FAULT synchronisation device-idle
        s = s.cpu()
        kept.append(b[nms(b, s, 0.5)])  # FAULT synchronisation device-idle
    return kept


@torch.inference_mode()
def main():
    torch.manual_seed(0)
    torch.backends.cudnn.benchmark = True
    model = Detector().to(DEVICE).eval()
    model = model.to(memory_format=torch.channels_last)
    frames = torch.rand(4, BATCH, 3, SIZE, SIZE, device=DEVICE)
    found, done = 0, 0
    begin = time.time()
    for step in range(BATCHES):
        x = frames[step % 4].contiguous(memory_format=torch.channels_last)
        with torch.autocast(DEVICE, torch.bfloat16):
            boxes, scores = model(x)
        found += sum(len(k) for k in select(boxes, scores))
        done += 1
        if time.time() - begin > MAX_SECONDS:
            break
    print(f"frames {done * BATCH} boxes found {found > 0}")


if __name__ == "__main__":
    main()
