"""Assign customers to depots and move the depots to the middle of their customers (k-means, numpy).

What is wrong: distances are computed by broadcasting (customers, 1, 2) - (1, depots, 2): an array of
40,000 x 300 x 2 doubles (192 MB; numpy squares it in place) and the 40,000 x 300 sums (96 MB) are alive at
once, for a result of 40,000 small integers.

First screen should say: the peak of memory, about 287 MB above the start, comes from the line in nearest()
(`customers[:, None, :] - depots[None, :, :]`, its square and the sum): temporaries of 192 and
96 MB, made anew in each of the 6 rounds; amount as printed by `truth` (growth of the process' peak RSS in the run).

Mend: go through the customers in chunks of 1,000 (or use |a|^2 - 2ab + |b|^2).
"""
import resource

import numpy as np

CUSTOMERS, DEPOTS, ROUNDS = 40_000, 300, 6


def peak_bytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def make_customers(rng):
    towns = rng.uniform(0, 500, size=(180, 2))
    home = rng.integers(0, len(towns), CUSTOMERS)
    spread = rng.gamma(2.0, 4.0, size=(CUSTOMERS, 1))
    return towns[home] + rng.normal(size=(CUSTOMERS, 2)) * spread


class Planner:
    def __init__(self, customers, weights, rng):
        self.customers = customers
        self.weights = weights
        self.depots = customers[rng.choice(len(customers), DEPOTS, replace=False)].copy()

    def nearest(self):
        d2 = ((self.customers[:, None, :] - self.depots[None, :, :]) ** 2).sum(axis=2)  # FAULT broadcast-peaks
        return d2.argmin(axis=1)

    def move(self, owner):
        load = np.bincount(owner, self.weights, DEPOTS)
        for axis in (0, 1):
            mean = np.bincount(owner, self.weights * self.customers[:, axis], DEPOTS)
            self.depots[:, axis] = np.where(load > 0, mean / np.maximum(load, 1e-9), self.depots[:, axis])
        return load

    def distance(self, owner):
        return float(np.hypot(*(self.customers - self.depots[owner]).T) @ self.weights)


def demand(rng):
    """Weekly demand per customer from a year of simulated orders, a town's season included."""
    season = 1 + 0.3 * np.sin(np.linspace(0, 2 * np.pi, 52))
    weights = np.zeros(CUSTOMERS)
    for week in range(52):
        orders = rng.poisson(1.5 * season[week], CUSTOMERS)
        weights += np.where(orders > 0, rng.gamma(np.maximum(orders, 1), 2.0), 0.0)
    return weights / 52


def main():
    rng = np.random.default_rng(8)
    customers = make_customers(rng)
    planner = Planner(customers, demand(rng), rng)
    before = peak_bytes()
    for number in range(ROUNDS):
        owner = planner.nearest()
        load = planner.move(owner)
        print(f"round {number}: {planner.distance(owner):14.1f} t km, fullest depot {load.max():.1f} t")
    print(f"truth {peak_bytes() - before} bytes")


if __name__ == "__main__":
    main()
