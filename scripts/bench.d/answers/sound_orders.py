"""Sound: joins orders with customers and products and reports by whole columns.

Merges, group-bys and sorts share the time; there is nothing here that is worth mending.
"""
import numpy as np
import pandas as pd

ORDERS, CUSTOMERS, PRODUCTS = 2_200_000, 60_000, 3_000


def make_tables():
    rng = np.random.default_rng(31)
    orders = pd.DataFrame({
        "customer": rng.integers(0, CUSTOMERS, ORDERS, dtype=np.int32),
        "product": rng.integers(0, PRODUCTS, ORDERS, dtype=np.int32),
        "pieces": rng.integers(1, 9, ORDERS, dtype=np.int32),
        "at": np.datetime64("2021-01-01") + rng.integers(0, 365 * 86400, ORDERS).astype("timedelta64[s]"),
    })
    customers = pd.DataFrame({"customer": np.arange(CUSTOMERS, dtype=np.int32),
                              "region": pd.Categorical.from_codes(rng.integers(0, 12, CUSTOMERS), [f"r{i}" for i in range(12)])})
    products = pd.DataFrame({"product": np.arange(PRODUCTS, dtype=np.int32), "price": rng.gamma(2, 30, PRODUCTS).round(2)})
    return orders, customers, products


def report(orders, customers, products):
    joined = orders.merge(products, on="product").merge(customers, on="customer")
    joined["worth"] = joined["pieces"] * joined["price"]
    joined["month"] = joined["at"].dt.month
    monthly = joined.groupby(["region", "month"], observed=True)["worth"].agg(["sum", "mean", "size"])
    best = joined.groupby("customer")["worth"].sum().nlargest(100)
    ordered = joined.sort_values(["customer", "at"])
    pause = ordered["at"].diff().where(ordered["customer"].eq(ordered["customer"].shift()))
    return monthly, best, pause.dt.total_seconds().median()


monthly, best, pause = report(*make_tables())
print("rows", len(monthly), "best", round(float(best.iloc[0]), 2), "pause", pause)
