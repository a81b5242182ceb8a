"""Values a book of Asian options by Monte Carlo: one process per core, each draws its paths
in blocks that stay in the cache and sends back only the sums."""
import math
import multiprocessing as mp
import os
import sys
import time
from dataclasses import dataclass

import numpy as np

STEPS = 64
BLOCK = 1024  # paths per block: STEPS * BLOCK floats = 256 KiB


@dataclass(frozen=True)
class Market:
    spot: float = 100.0
    rate: float = 0.02
    vol: float = 0.25
    years: float = 1.0


@dataclass
class Sums:
    paths: int
    total: np.ndarray
    squares: np.ndarray

    def merge(self, other: "Sums") -> None:
        self.paths += other.paths
        self.total += other.total
        self.squares += other.squares


def strikes() -> np.ndarray:
    return np.linspace(70.0, 130.0, 13)


def simulate(job: tuple[np.random.SeedSequence, int, Market]) -> Sums:
    seed, blocks, market = job
    rng = np.random.Generator(np.random.SFC64(seed))
    dt = market.years / STEPS
    drift = np.float32((market.rate - 0.5 * market.vol**2) * dt)
    scale = np.float32(market.vol * math.sqrt(dt))
    ks = strikes()
    z = np.empty((STEPS, BLOCK), dtype=np.float32)
    mean = np.empty(BLOCK, dtype=np.float32)
    total = np.zeros(len(ks))
    squares = np.zeros(len(ks))
    for _ in range(blocks):
        rng.standard_normal(dtype=np.float32, out=z)
        z *= scale
        z += drift
        for step in range(1, STEPS):
            z[step] += z[step - 1]
        np.exp(z, out=z)
        np.mean(z, axis=0, out=mean)
        payoff = mean[None, :] * np.float32(market.spot) - ks[:, None]
        np.maximum(payoff, 0.0, out=payoff)
        total += payoff.sum(axis=1)
        squares += np.einsum("ij,ij->i", payoff, payoff)
    return Sums(blocks * BLOCK, total, squares)


def value_book(market: Market, blocks: int, workers: int) -> Sums:
    jobs = 16
    seeds = np.random.SeedSequence(2024).spawn(jobs)
    share = [blocks // jobs + (i < blocks % jobs) for i in range(jobs)]
    result = None
    with mp.Pool(workers) as pool:
        for part in pool.imap(simulate, zip(seeds, share, [market] * jobs)):
            if result is None:
                result = part
            else:
                result.merge(part)
    return result


def report(market: Market, sums: Sums) -> None:
    discount = math.exp(-market.rate * market.years)
    mean = sums.total / sums.paths
    error = np.sqrt((sums.squares / sums.paths - mean**2) / sums.paths)
    print(f"{sums.paths} paths")
    for k, price, err in zip(strikes(), discount * mean, discount * error):
        print(f"  strike {k:6.1f}  {price:8.4f} +- {err:.4f}")


def main() -> None:
    blocks = int(sys.argv[1]) if len(sys.argv) > 1 else 14000
    market = Market()
    workers = len(os.sched_getaffinity(0))
    report(market, value_book(market, blocks, workers))
    print("truth 0")


if __name__ == "__main__":
    main()
