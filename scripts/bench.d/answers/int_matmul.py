"""Counts which pairs of articles are bought together, and in how many ways one leads to another in three steps.

What is wrong: the matrices are int64; numpy multiplies integer matrices with its own plain loops and not with BLAS, which
takes far longer than the same product of floats (exact here, all counts stay below 2**53).
First screen should say: nearly all the time is in the matrix products of int64 arrays (Baskets.pairs, Paths.step); integer
products do not go to BLAS: convert to float64.
Mend: make the matrix of baskets float64 at the beginning.
"""
import time

import numpy as np

ARTICLES = 560
BASKETS = 3000


class Baskets:
    def __init__(self, seed):
        draw = np.random.default_rng(seed)
        liking = draw.gamma(0.5, 0.03, ARTICLES)
        self.table = (draw.random((BASKETS, ARTICLES)) < liking).astype(np.int64)  # FAULT products-without-blas

    def pairs(self):
        pairs = self.table.T @ self.table  # FAULT products-without-blas
        np.fill_diagonal(pairs, 0)
        return pairs


class Paths:
    """Links of pairs bought together often, and the number of paths along them."""

    def __init__(self, pairs, least):
        self.links = (pairs >= least).astype(pairs.dtype)
        self.count = self.links

    def step(self):
        self.count = self.count @ self.links  # FAULT products-without-blas

    def busiest(self):
        totals = self.count.sum(axis=1)
        order = np.lexsort((np.arange(ARTICLES), -totals))[:4]
        return [(int(i), int(totals[i])) for i in order]


def timed(function, log):
    began = time.perf_counter()
    result = function()
    log.append(time.perf_counter() - began)
    return result


def float_cost(baskets, paths):
    """What the same products would take as floats, from one of each kind."""
    links = paths.links.astype(float)
    few = baskets.table[:750].astype(float)
    costs = []
    timed(lambda: few.T @ few, costs)
    timed(lambda: links @ links, costs)
    return costs[0] * BASKETS / 750 + costs[1] * 3


def main():
    log = []
    baskets = Baskets(21)
    pairs = timed(baskets.pairs, log)
    print("pairs", int((pairs > 0).sum()) // 2, "most", int(pairs.max()))
    paths = Paths(pairs, 3)
    for steps in range(2, 5):
        timed(paths.step, log)
        print(steps, "steps:", paths.busiest())
    print("truth %.3f" % (sum(log) - float_cost(baskets, paths)))


main()
