"""Collect daily exports of many shops in one frame."""
import time

import numpy as np
import pandas as pd

cost = 0.0


def export(shop, day, rows=250):
    rng = np.random.default_rng(shop * 1000 + day)
    sales = {"sku": rng.integers(0, 5000, rows), "units": rng.poisson(3, rows), "price": rng.random(rows) * 50}
    return pd.DataFrame({"shop": shop, "day": day, **sales})


def collect(shops, days):
    global cost
    everything = pd.DataFrame()
    for shop in range(shops):
        for day in range(days):
            daily = export(shop, day)
            daily["revenue"] = daily["units"] * daily["price"]
            t = time.perf_counter()
            everything = pd.concat([everything, daily], ignore_index=True)  # FAULT growing-by-copies
            cost += time.perf_counter() - t
    return everything


def main():
    frame = collect(22, 40)
    by_sku = frame.groupby(["shop", "sku"])["revenue"].sum()
    print(len(frame), round(by_sku.max(), 2))
    print("truth %.3f" % (cost * 0.98))


main()
