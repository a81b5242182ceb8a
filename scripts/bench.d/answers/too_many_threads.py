"""Grid search over learning rates: a process per rate, each with torch's threads."""
import time
import multiprocessing as mp
import torch
from torch import nn

THREADS = 2
RATES = [0.1, 0.03, 0.01, 0.003]


def fit(lr, steps):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 256), nn.Tanh(), nn.Linear(256, 1))
    opt = torch.optim.SGD(model.parameters(), lr=lr)
    x = torch.randn(4000, 64)
    y = x[:, :1] * 2
    for _ in range(steps):
        loss = nn.functional.mse_loss(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


def job(args):
    torch.set_num_threads(THREADS)  # FAULT oversubscribed-processors
    return fit(*args)


def one_thread(args):
    torch.set_num_threads(1)
    return fit(*args)


def main():
    steps = 8
    ctx = mp.get_context("spawn")
    with ctx.Pool(4) as pool:
        pool.map(abs, range(8))
        t = time.perf_counter()
        losses = pool.map(job, [(lr, steps) for lr in RATES], chunksize=1)
        wall = time.perf_counter() - t
        t = time.perf_counter()
        pool.map(one_thread, [(lr, steps // 4) for lr in RATES], chunksize=1)
        ideal = (time.perf_counter() - t) * 4
    print("best %.5f wall %.3f ideal %.3f" % (min(losses), wall, ideal))
    print("truth %.3f" % (wall - ideal))


if __name__ == "__main__":
    main()
