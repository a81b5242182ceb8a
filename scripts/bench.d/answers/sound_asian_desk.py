"""Price a book of Asian options by Monte Carlo, one worker process per core."""
import math
import multiprocessing
import os
from dataclasses import dataclass

import numpy as np

DAYS = 252
BLOCK = 8192


@dataclass(frozen=True)
class Underlying:
    name: str
    spot: float
    rate: float
    volatility: float


@dataclass(frozen=True)
class Contract:
    underlying: str
    strike: float
    call: bool


@dataclass
class Tally:
    count: int
    total: np.ndarray
    squares: np.ndarray

    def merge(self, other):
        self.count += other.count
        self.total += other.total
        self.squares += other.squares

    def estimate(self, discount):
        mean = self.total / self.count
        variance = np.maximum(self.squares / self.count - mean ** 2, 0)
        return discount * mean, discount * np.sqrt(variance / self.count)


class PathAverager:
    """Daily averages of geometric Brownian motion for antithetic pairs, in reused buffers."""

    def __init__(self, underlying, block):
        self.spot = underlying.spot
        step = 1.0 / DAYS
        self.drift = np.float32((underlying.rate - underlying.volatility ** 2 / 2) * step)
        self.sigma = np.float32(underlying.volatility * math.sqrt(step))
        self.draw = np.empty(block, dtype=np.float32)
        self.walk = np.empty(block, dtype=np.float32)
        self.level = np.empty(block, dtype=np.float32)
        self.sums = np.empty((2, block), dtype=np.float32)

    def averages(self, rng):
        draw, walk, level, (up, down) = self.draw, self.walk, self.level, self.sums
        walk.fill(0)
        up.fill(0)
        down.fill(0)
        for day in range(1, DAYS + 1):
            rng.standard_normal(out=draw, dtype=np.float32)
            draw *= self.sigma
            walk += draw
            np.exp(walk, out=level)
            growth = np.float32(math.exp(day * self.drift))
            np.multiply(level, growth, out=draw)
            up += draw
            np.divide(growth, level, out=draw)
            down += draw
        return self.sums.astype(np.float64) * (self.spot / DAYS)


def simulate(job):
    underlying, contracts, blocks, seed = job
    rng = np.random.Generator(np.random.SFC64(seed))
    averager = PathAverager(underlying, BLOCK)
    strikes = np.array([c.strike for c in contracts])[:, None]
    signs = np.array([1.0 if c.call else -1.0 for c in contracts])[:, None]
    tally = Tally(0, np.zeros(len(contracts)), np.zeros(len(contracts)))
    for _ in range(blocks):
        average = averager.averages(rng)
        up = np.maximum(signs * (average[0] - strikes), 0)
        pairs = 0.5 * (up + np.maximum(signs * (average[1] - strikes), 0))
        tally.merge(Tally(BLOCK, pairs.sum(axis=1), np.einsum("ij,ij->i", pairs, pairs)))
    return underlying.name, tally


def plan(underlyings, book, jobs_each, blocks):
    seeds = iter(np.random.SeedSequence(2024).spawn(len(underlyings) * jobs_each))
    for underlying in underlyings:
        contracts = [c for c in book if c.underlying == underlying.name]
        for _ in range(jobs_each):
            yield underlying, contracts, blocks, next(seeds)


def main():
    underlyings = [Underlying("STEEL", 100.0, 0.03, 0.22), Underlying("WHEAT", 62.0, 0.03, 0.31),
                   Underlying("POWER", 45.0, 0.03, 0.48), Underlying("CARBON", 80.0, 0.03, 0.37)]
    book = [Contract(u.name, round(u.spot * m, 2), call) for u in underlyings
            for m, call in ((0.9, True), (1.0, True), (1.0, False), (1.1, True))]
    merged = {}
    with multiprocessing.get_context("fork").Pool(os.cpu_count()) as pool:
        for name, tally in pool.imap(simulate, plan(underlyings, book, jobs_each=4, blocks=26)):
            if name in merged:
                merged[name].merge(tally)
            else:
                merged[name] = tally
    for underlying in underlyings:
        prices, errors = merged[underlying.name].estimate(math.exp(-underlying.rate))
        cells = " ".join(f"{p:8.4f}±{e:.4f}" for p, e in zip(prices, errors))
        print(f"{underlying.name:<7} {cells}")
    print("truth 0.000")


if __name__ == "__main__":
    main()
