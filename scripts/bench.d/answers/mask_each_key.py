"""Makes the order proposals of a warehouse: for each article the trend of its sales and what to buy.

What is wrong: for each of the articles the whole table of sales is compared with the article's number (strings) to pick
its rows, so the table is scanned as many times as there are articles.
First screen should say: most of the time is in the comparison sales["sku"] == sku (comp_method_OBJECT_ARRAY) in
Proposals.rows: a scan of 90,000 strings for each of 700 articles.
Mend: group once (dict of sales.groupby("sku")) and take each group from there.
"""
import time

import numpy as np
import pandas as pd

ARTICLES = 700
SALES = 90_000


def sales_table():
    draw = np.random.default_rng(77)
    article = (draw.beta(1.2, 2.5, SALES) * ARTICLES).astype(int)
    return pd.DataFrame(
        {
            "sku": np.array(["AB-%05d-X" % (i * 13) for i in range(ARTICLES)], dtype=object)[article],
            "day": np.sort(draw.integers(0, 120, SALES)),
            "pieces": draw.poisson(2 + article % 4) + 1,
        }
    )


class Proposals:
    def __init__(self, sales):
        self.sales = sales
        self.spent = 0.0

    def rows(self, sku):
        began = time.perf_counter()
        rows = self.sales[self.sales["sku"] == sku]  # FAULT key-scans
        self.spent += time.perf_counter() - began
        return rows

    def proposal(self, sku):
        rows = self.rows(sku)
        pieces = np.bincount(rows["day"].to_numpy(), weights=rows["pieces"].to_numpy(), minlength=120)
        weeks = pieces[:119].reshape(17, 7).sum(axis=1)
        slope, level = np.polyfit(np.arange(17), weeks, 1)
        expected = max(0.0, level + slope * 18)
        return sku, len(rows), round(slope, 4), int(np.ceil(expected * 1.2))

    def all(self):
        for sku in sorted(self.sales["sku"].unique()):
            yield self.proposal(sku)


def main():
    proposals = Proposals(sales_table())
    table = pd.DataFrame(proposals.all(), columns=["sku", "sales", "slope", "buy"])
    top = table.sort_values(["buy", "sku"], ascending=[False, True]).head(5)
    print(top.to_string(index=False))
    print("articles", len(table), "buy", table["buy"].sum(), "slope %.4f" % table["slope"].mean())
    print("truth %.3f" % proposals.spent)


main()
