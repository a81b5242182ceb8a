"""Fits a tide model to many gauges with two worker processes; the readings
lie in one shared array.

Sound.  A hasty profiler might say: "the main process waits most of the time
in a lock (queue.get / Condition.wait)" (its two workers compute, on two cores);
"memory of the three processes adds up to more than 250 MB" (the 77 MB of
readings are one shared block that all three have mapped); "pickling" (a task
is a pair of numbers, a result some 20); "workers started" (once).
The time goes into the least squares steps of fit_gauge.
"""
import multiprocessing as mp
from multiprocessing import shared_memory
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

GAUGES = 200
HOURS = 24 * 2000
PERIODS = np.array([12.4206, 12.0, 25.8193, 23.9345, 12.6583, 24.0659, 6.2103])
ROUNDS = 3


def make_readings(out):
    rng = np.random.default_rng(42)
    t = np.arange(HOURS)
    waves = np.stack([np.sin(2 * np.pi * t / p) for p in PERIODS])
    for gauge in range(GAUGES):
        high = rng.gamma(2.0, 0.4, len(PERIODS))
        out[gauge] = high @ waves + rng.normal(0, 0.2, HOURS)
        storms = rng.integers(0, HOURS - 60, 25)
        for start in storms:
            out[gauge, start:start + 48] += rng.gamma(2.0, 0.8)


class Readings:
    """The shared block of readings, as an array."""

    def __init__(self, name=None):
        size = GAUGES * HOURS * 8
        self.block = shared_memory.SharedMemory(name=name, create=name is None, size=size)
        self.array = np.ndarray((GAUGES, HOURS), dtype=np.float64, buffer=self.block.buf)

    def close(self, last=False):
        self.array = None
        self.block.close()
        if last:
            self.block.unlink()


_readings = None
_design = None


def start_worker(name):
    global _readings, _design
    _readings = Readings(name)
    angle = 2 * np.pi * np.arange(HOURS)[:, None] / PERIODS[None, :]
    _design = np.concatenate([np.ones((HOURS, 1)), np.cos(angle), np.sin(angle)], axis=1)


def fit_gauge(gauge):
    """Least squares, repeated with less weight for what lies far out."""
    level = _readings.array[gauge]
    weight = np.ones(HOURS)
    for _ in range(ROUNDS):
        weighted = _design * weight[:, None]
        coef = np.linalg.solve(weighted.T @ _design, weighted.T @ level)
        rest = level - _design @ coef
        scale = np.median(np.abs(rest)) * 1.4826
        weight = 1.0 / (1.0 + (rest / (2.5 * scale)) ** 2)
    storms = int((np.diff((rest > 5 * scale).astype(np.int8)) == 1).sum())
    n = len(PERIODS)
    return gauge, np.hypot(coef[1:1 + n], coef[1 + n:]), storms


def report(results):
    results.sort(key=lambda r: r[0])
    heights = np.stack([r[1] for r in results])
    print(f"{len(results)} gauges, mean heights", np.round(heights.mean(axis=0), 3))
    print("storm hours found", sum(r[2] for r in results))
    flat = heights.sum(axis=1).argsort()[:5]
    print("lowest tides at", flat.tolist())


def main():
    readings = Readings()
    try:
        make_readings(readings.array)
        with mp.Pool(2, initializer=start_worker, initargs=(readings.block.name,)) as pool:
            results = list(pool.imap_unordered(fit_gauge, range(GAUGES), chunksize=4))
        report(results)
    finally:
        readings.close(last=True)
    print("truth 0.000")


if __name__ == "__main__":
    main()
