"""Find pairs of products that are bought together, from a table of receipts.

Sound: nothing is wrong. The time is the join of the receipts with themselves
and the group-by over it, which is the job; both are done once, vectorised.
First screen should say: the work is in merge/groupby in pairs(), no fault found.
"""
import time

import numpy as np
import pandas as pd

RECEIPTS = 600_000
PRODUCTS = 900


def make_receipts(seed=6):
    rng = np.random.default_rng(seed)
    n = rng.integers(2, 9, RECEIPTS)
    receipt = np.repeat(np.arange(RECEIPTS), n)
    weight = 1.0 / np.arange(4, PRODUCTS + 4)
    product = rng.choice(PRODUCTS, len(receipt), p=weight / weight.sum())
    frame = pd.DataFrame({"receipt": receipt.astype("int32"), "product": product.astype("int16")})
    return frame.drop_duplicates(ignore_index=True)


def prices(seed=7):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"product": np.arange(PRODUCTS, dtype="int16"),
                         "price": rng.gamma(2.0, 3.0, PRODUCTS).round(2)})


class Basket:
    def __init__(self, lines):
        self.lines = lines
        self.count = lines["product"].value_counts()
        self.receipts = lines["receipt"].nunique()

    def pairs(self):
        both = self.lines.merge(self.lines, on="receipt", suffixes=("_a", "_b"))
        both = both[both["product_a"] < both["product_b"]]
        return both.groupby(["product_a", "product_b"]).size().rename("together").reset_index()

    def lift(self, pairs):
        a = self.count.reindex(pairs["product_a"]).to_numpy()
        b = self.count.reindex(pairs["product_b"]).to_numpy()
        pairs["lift"] = pairs["together"] * self.receipts / (a * b)
        return pairs[pairs["together"] >= 5].nlargest(10, "lift")


def revenue(lines, table):
    priced = lines.merge(table, on="product")
    return priced.groupby("receipt")["price"].sum().describe().round(2)


def main():
    t0 = time.perf_counter()
    lines = make_receipts()
    made = time.perf_counter() - t0
    basket = Basket(lines)
    t0 = time.perf_counter()
    pairs = basket.pairs()
    joined = time.perf_counter() - t0
    best = basket.lift(pairs)
    print(best.head(3).to_string(index=False))
    print("mean receipt", revenue(lines, prices())["mean"])
    print("made %.2f s, joined %.2f s" % (made, joined))


if __name__ == "__main__":
    main()
