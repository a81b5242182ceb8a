"""Trains an embedding net for face crops with a batch-hard triplet loss.

What is wrong: the distances of all pairs are made by subtracting everything
from everything: an N x N x D tensor (384 x 384 x 64), forward and backward,
for an N x N result.
First screen should say: the loss costs more than the net: pairwise_sq makes
a tensor of 38 MB per step (sub, pow, sum and their backward); own line in
pairwise_sq; some half of the run.
Mend: |a|^2 + |b|^2 - 2 a b^T (or torch.cdist).
"""
import time

import torch
from torch import nn
from torch.nn import functional as F

torch.set_num_threads(1)

PEOPLE = 96
SHOTS = 4
DIM = 64
STEPS = 18


class Stopwatch:
    def __init__(self):
        self.seconds = 0.0
        self.since = 0.0

    def go(self, *_):
        self.since = time.perf_counter()

    def halt(self, *_):
        self.seconds += time.perf_counter() - self.since


WATCH = Stopwatch()


class FaceNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, 12, 3, stride=2, padding=1), nn.BatchNorm2d(12), nn.ReLU(),
            nn.Conv2d(12, 24, 3, stride=2, padding=1), nn.BatchNorm2d(24), nn.ReLU(),
            nn.Conv2d(24, 48, 3, stride=2, padding=1), nn.BatchNorm2d(48), nn.ReLU(),
        )
        self.out = nn.Linear(48 * 4 * 4, DIM)

    def forward(self, x):
        return F.normalize(self.out(self.body(x).flatten(1)), dim=1)


def pairwise_sq(z):
    return (z.unsqueeze(1) - z.unsqueeze(0)).pow(2).sum(dim=2)  # FAULT broadcast-time


class BatchHard(nn.Module):
    """Hardest positive and hardest negative of every crop in the batch."""

    def __init__(self, margin=0.3):
        super().__init__()
        self.margin = margin

    def forward(self, z, person):
        same = person.unsqueeze(0) == person.unsqueeze(1)
        if z.requires_grad:
            z = z.clone()
            z.register_hook(WATCH.halt)
        WATCH.go()
        dist = pairwise_sq(z)
        WATCH.halt()
        if dist.requires_grad:
            dist.register_hook(WATCH.go)
        far_same = dist.masked_fill(~same, -1.0).amax(dim=1)
        near_other = dist.masked_fill(same, 9.0).amin(dim=1)
        return F.relu(far_same - near_other + self.margin).mean()


class Crops:
    def __init__(self, seed):
        self.gen = torch.Generator().manual_seed(seed)
        self.faces = torch.randn(400, 1, 32, 32, generator=self.gen)

    def batch(self):
        who = torch.randperm(400, generator=self.gen)[:PEOPLE].repeat_interleave(SHOTS)
        crops = self.faces[who] + 0.7 * torch.randn(len(who), 1, 32, 32, generator=self.gen)
        return crops, who


@torch.no_grad()
def recall_at_one(net, crops):
    net.eval()
    x, who = crops.batch()
    z = net(x)
    score = z @ z.T
    score.fill_diagonal_(-2.0)
    hit = (who[score.argmax(dim=1)] == who).float().mean().item()
    net.train()
    return hit


def main():
    torch.manual_seed(4)
    net = FaceNet()
    rule = BatchHard()
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    train_set, test_set = Crops(1), Crops(2)
    for step in range(1, STEPS + 1):
        crops, who = train_set.batch()
        loss = rule(net(crops), who)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 9 == 0:
            print(f"step {step:3d}  loss {loss.item():.4f}  recall@1 {recall_at_one(net, test_set):.3f}")
    print(f"truth {WATCH.seconds - 0.012 * STEPS:.3f}")   # 12 ms a step remain in any case


if __name__ == "__main__":
    main()
