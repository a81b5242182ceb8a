"""Normalises sales within each store and looks for the stores' unusual days.

What is wrong: the standard scores come from groupby.transform with a Python lambda, which builds small Series for every
one of 15000 stores.
First screen should say: the time goes to the lambda in groupby(...).transform at SalesTable.add_scores, called 15000 times
(pandas overhead for each group) - use the built-in "mean" and "std".
Mend: transform("mean") and transform("std") once each, then arithmetic on whole columns.
"""
import time

import numpy as np
import pandas as pd

STORES = 15000
DAYS = 45


class SalesTable:
    def __init__(self, frame):
        self.frame = frame
        self.scoring = 0.0

    def by_store(self):
        return self.frame.groupby("store", sort=False)["amount"]

    def fast_scores(self):
        amounts = self.by_store()
        return (self.frame["amount"] - amounts.transform("mean")) / amounts.transform("std")

    def add_scores(self):
        began = time.perf_counter()
        self.frame["score"] = self.by_store().transform(lambda s: (s - s.mean()) / s.std())  # FAULT python-for-groups
        self.scoring += time.perf_counter() - began

    def unusual(self, limit):
        odd = self.frame[self.frame["score"].abs() > limit]
        return odd.groupby("region")["store"].nunique().sort_index()


def read_sales():
    rng = np.random.default_rng(8)
    n = STORES * DAYS
    store = np.tile(np.arange(STORES), DAYS)
    frame = pd.DataFrame({
        "store": store,
        "region": (store % 37).astype("int16"),
        "day": np.repeat(np.arange(DAYS), STORES),
        "amount": rng.gamma(2.0, 40.0, n) * (1 + store % 11),
    })
    return frame.sample(frac=1.0, random_state=4).reset_index(drop=True)


def trend(frame):
    """The seven days' mean for each region, region by region in a wide table."""
    wide = frame.pivot_table(index="day", columns="region", values="amount", aggfunc="sum")
    return wide.rolling(7, min_periods=1).mean().diff().abs().sum(axis=1)


table = SalesTable(read_sales())
table.add_scores()
odd = table.unusual(2.5)
moves = trend(table.frame)
order = table.frame.sort_values(["region", "store", "day"])
print("odd", int(odd.sum()), "moves", round(float(moves.sum())), "first", int(order.index[0]))
began = time.perf_counter()
table.fast_scores()
print("truth", table.scoring - (time.perf_counter() - began))
