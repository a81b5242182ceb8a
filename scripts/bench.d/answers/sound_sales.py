"""The monthly report of a chain of shops: sales by region and group of goods, best articles, and how they changed."""
import numpy as np
import pandas as pd

SALES = 1_500_000
ARTICLES = 2500
SHOPS = 60


def write_tables():
    draw = np.random.default_rng(31)
    article = (draw.beta(0.8, 3.0, SALES) * ARTICLES).astype(np.int32)
    sales = pd.DataFrame(
        {
            "day": np.sort(draw.integers(0, 365, SALES)),
            "shop": draw.integers(0, SHOPS, SALES),
            "article": article,
            "pieces": draw.integers(1, 6, SALES),
            "cents": (article * 37 % 900 + 99) * draw.integers(80, 101, SALES) // 100,
        }
    )
    sales.to_csv("sales.csv", index=False)
    shops = pd.DataFrame({"shop": range(SHOPS), "region": [("north", "east", "south", "west")[i % 4] for i in range(SHOPS)]})
    shops.to_csv("shops.csv", index=False)
    groups = ["food", "drinks", "garden", "paper", "toys"]
    articles = pd.DataFrame({"article": range(ARTICLES), "group": [groups[i * 7 % 5] for i in range(ARTICLES)]})
    articles.to_csv("articles.csv", index=False)


def read_tables():
    types = {"day": "int16", "shop": "int16", "article": "int16", "pieces": "int16", "cents": "int32"}
    sales = pd.read_csv("sales.csv", dtype=types)
    shops = pd.read_csv("shops.csv", dtype={"shop": "int16", "region": "category"})
    articles = pd.read_csv("articles.csv", dtype={"article": "int16", "group": "category"})
    return sales.merge(shops, on="shop").merge(articles, on="article")


class Report:
    def __init__(self, table):
        self.table = table.assign(
            turnover=table["pieces"] * table["cents"] / 100,
            month=np.minimum(table["day"] // 30, 11).astype("int8"),
        )

    def by_region(self):
        return self.table.pivot_table("turnover", index="region", columns="group", aggfunc="sum", observed=True).round(0)

    def best(self, count):
        sums = self.table.groupby("article").agg(turnover=("turnover", "sum"), pieces=("pieces", "sum"))
        return sums.nlargest(count, "turnover").round(2)

    def change(self):
        months = self.table.groupby(["group", "month"], observed=True)["turnover"].sum().unstack("group")
        return months.pct_change().abs().max().round(4)

    def baskets(self):
        daily = self.table.groupby(["shop", "day"])["turnover"].agg(["sum", "mean", "max"])
        return daily.groupby("shop").mean().describe().loc[["mean", "std", "min", "max"]].round(2)


def main():
    write_tables()
    report = Report(read_tables())
    print(report.by_region().to_string())
    print(report.best(5).to_string())
    print(report.change().to_string())
    print(report.baskets().to_string())


main()
