"""Rate parcels for all carriers in a pool of processes.

The tariff table (zone and weight class to price) is large and read only; the
parcels come in day bundles; every bundle is rated by one call in a worker.

What is wrong: pool.imap gets a bound method; with each bundle the whole
RateDesk with its tariff table is pickled, sent and unpickled again.
First screen should say: pickling of the tariff table with each task, caused by
the bound method at line 71, about 2.8 s of 4.4 s (main process busy in pickle, the
workers in unpickling).
Mend: give the desk to the workers once (initializer or global before the fork)
and map a plain function.
"""
import math
import random
import time
from multiprocessing import get_context

BUNDLES = 90
PARCELS = 1500
CARRIERS = ("north", "coast", "blue", "rapid")
ZONES = 320
CLASSES = 48
WORKERS = 2


class RateDesk:
    def __init__(self, seed=5):
        rng = random.Random(seed)
        self.tariff = {}
        for carrier in CARRIERS:
            for zone in range(ZONES):
                for weight_class in range(CLASSES):
                    base = 2.0 + zone * 0.011 + weight_class * 0.35
                    self.tariff[carrier, zone, weight_class] = (
                        round(base * rng.uniform(0.9, 1.1), 3), rng.randrange(1, 6))

    def quote(self, carrier, zone, weight_class, volume):
        price, days = self.tariff[carrier, zone, weight_class]
        surcharge = 0.0
        for step in range(1, 5):
            surcharge += math.sqrt(volume / step) * math.log1p(step) / 30
        return price + surcharge, days

    def rate_bundle(self, bundle):
        """Cheapest carrier for each parcel."""
        started = time.perf_counter()
        day, parcels = bundle
        total, chosen = 0.0, {}
        for zone, weight_class, volume in parcels:
            offers = [(*self.quote(c, zone, weight_class, volume), c) for c in CARRIERS]
            price, days, carrier = min(offers, key=lambda o: o[0] + 0.2 * o[1])
            total += price
            chosen[carrier] = chosen.get(carrier, 0) + 1
        return day, total, chosen, time.perf_counter() - started


def make_bundles(seed=6):
    rng = random.Random(seed)
    for day in range(BUNDLES):
        yield day, [
            (rng.randrange(ZONES), rng.randrange(CLASSES), rng.uniform(0.5, 90.0))
            for _ in range(PARCELS)
        ]


def rate_all(desk, bundles):
    results = []
    started = time.perf_counter()
    with get_context("fork").Pool(WORKERS) as pool:
        for result in pool.imap(desk.rate_bundle, bundles):  # FAULT pickling
            results.append(result)
        pool.close()
        pool.join()
    return results, time.perf_counter() - started


def forecast(results):
    """A small exponential smoothing over the days with a search for alpha."""
    series = [total for _, total, _, _ in results]
    best = None
    for step in range(1, 70_000):
        alpha, level, error = step / 70_000, series[0], 0.0
        for value in series[1:]:
            error += (value - level) ** 2
            level += alpha * (value - level)
        if best is None or error < best[0]:
            best = (error, alpha, level)
    return best


def main():
    desk = RateDesk()
    bundles = list(make_bundles())
    results, spent = rate_all(desk, bundles)
    counts = {}
    for _, _, chosen, _ in results:
        for carrier, number in chosen.items():
            counts[carrier] = counts.get(carrier, 0) + number
    error, alpha, level = forecast(results)
    print(f"{len(results)} days, {sum(t for _, t, _, _ in results):.2f} EUR")
    for carrier in CARRIERS:
        print(f"  {carrier:6s} {counts.get(carrier, 0):7d}")
    print(f"next day {level:.2f} (alpha {alpha:.3f})")
    rating = sum(one for _, _, _, one in results)
    print(f"truth {max(0.0, spent - rating / WORKERS):.3f}")


if __name__ == "__main__":
    main()
