"""Parcel zones: gives each parcel of the day's manifests its delivery zone and
sums up weights per zone, with a pool of two processes.

What is wrong: the pool is made with maxtasksperchild, so that a worker is
replaced after every third manifest; each new worker runs the initializer again
and builds the zone index anew, about 21 times instead of 2 (and the pool notices a
gone worker only at its next round of looking).
First screen should say: the workers spend about half their time in load_index
(Pool initializer), run again for every new worker because of maxtasksperchild
in main's Pool(...) line; worker processes are short-lived.
Mend: leave maxtasksperchild away (or build the index before the fork).
"""
import multiprocessing
import random
import time
from bisect import bisect_left

ZONES = 900
MANIFESTS = 60

_index = None
_ready = 0.0


class ZoneIndex:
    """Nearest zone centre by a coarse grid of candidate lists."""

    CELLS = 50

    def __init__(self, centres):
        self.centres = centres
        self.cells = {}
        for gx in range(self.CELLS):
            for gy in range(self.CELLS):
                self.cells[gx, gy] = self._candidates((gx + 0.5) / self.CELLS, (gy + 0.5) / self.CELLS)

    def _candidates(self, x, y):
        near = []
        for number, (cx, cy) in enumerate(self.centres):
            d = (cx - x) * (cx - x) + (cy - y) * (cy - y)
            if d < 0.012:
                near.append((d, number))
        near.sort()
        return [number for _, number in near[:14]]

    def zone(self, x, y):
        best, best_d = -1, 9.0
        for number in self.cells[int(x * self.CELLS), int(y * self.CELLS)]:
            cx, cy = self.centres[number]
            d = (cx - x) ** 2 + (cy - y) ** 2
            if d < best_d:
                best, best_d = number, d
        return best


def load_index(seed):
    global _index, _ready
    began = time.perf_counter()
    rng = random.Random(seed)
    _index = ZoneIndex([(rng.random(), rng.random()) for _ in range(ZONES)])
    _ready = time.perf_counter() - began


BANDS = [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 31.5]
FEES = [2.9, 3.4, 3.9, 5.2, 7.4, 11.0, 16.5, 40.0]


def sort_manifest(number):
    began = time.perf_counter()
    rng = random.Random(1000 + number)
    weights = {}
    fees = 0.0
    for _ in range(14000):
        x, y = rng.random(), rng.random()
        weight = rng.expovariate(0.3)
        zone = _index.zone(x, y)
        weights[zone] = weights.get(zone, 0.0) + weight
        fees += FEES[bisect_left(BANDS, weight)]
    return number, weights, fees, time.perf_counter() - began, _ready


def main():
    began = time.perf_counter()
    totals = {}
    fees = 0.0
    busy = once = 0.0
    context = multiprocessing.get_context("fork")
    with context.Pool(2, load_index, (3,), maxtasksperchild=3) as pool:  # FAULT replaced-workers
        for number, weights, fee, seconds, ready in pool.imap_unordered(sort_manifest, range(MANIFESTS)):
            for zone, weight in weights.items():
                totals[zone] = totals.get(zone, 0.0) + weight
            fees += fee
            busy += seconds
            once += ready / MANIFESTS
    wall = time.perf_counter() - began
    heaviest = max(totals, key=totals.get)
    print(f"{MANIFESTS} manifests, {len(totals)} zones, heaviest {heaviest}: "
          f"{totals[heaviest]:.1f} kg, fees {fees:.2f}")
    print(f"truth {max(0.0, wall - busy / 2 - once):.3f}")


if __name__ == "__main__":
    main()
