"""Trains a scorer; each tenth step reports the AUC of a held-out set."""
import time
import torch
from torch import nn

metric_time = 0.0


def auc(scores, labels):
    """Pairwise, as in the definition."""
    pos = [s for s, l in zip(scores, labels) if l]
    neg = [s for s, l in zip(scores, labels) if not l]
    wins = 0.0
    for p in pos:
        for n in neg:
            wins += 1.0 if p > n else 0.5 if p == n else 0.0  # FAULT slow-steps python-loop
    return wins / (len(pos) * len(neg))


def report(model, x, y):
    global metric_time
    t = time.perf_counter()
    with torch.no_grad():
        scores = model(x).squeeze(1).tolist()
    a = auc(scores, y.tolist())
    metric_time += time.perf_counter() - t
    return a


def main():
    torch.manual_seed(0)
    w = torch.randn(128)
    model = nn.Sequential(nn.Linear(128, 24), nn.ReLU(), nn.Linear(24, 1))
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    hx = torch.randn(2000, 128)
    hy = (hx @ w > 0)
    a = 0
    for step in range(1, 251):
        x = torch.randn(400, 128)
        y = (x @ w > 0).float()
        loss = nn.functional.binary_cross_entropy_with_logits(model(x).squeeze(1), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 10 == 0:
            a = report(model, hx, hy)
    print("auc %.4f" % a)
    print("truth %.3f" % metric_time)


main()
