"""Monthly statement per customer from a table of invoices.

What is wrong: statements() picks each customer's rows with a boolean mask over
the whole table (strings compared row by row), once per customer: customers x rows.
First screen should say: `df[df["customer"] == cid]` in statements takes N seconds,
called once per customer over all rows (comparison of an object column).
Mend: one df.groupby("customer") and iterate over its groups.
"""
import io
import time

import numpy as np
import pandas as pd

CUSTOMERS = 400
ROWS = 160_000


def make_csv(seed=3):
    rng = np.random.default_rng(seed)
    cust = rng.integers(0, CUSTOMERS, ROWS)
    day = rng.integers(1, 29, ROWS)
    month = rng.integers(1, 13, ROWS)
    net = rng.gamma(2.0, 80.0, ROWS).round(2)
    kind = rng.choice(["goods", "service", "credit"], ROWS, p=[0.6, 0.3, 0.1])
    lines = ["customer,date,kind,net"]
    for c, m, d, k, n in zip(cust, month, day, kind, net):
        lines.append("CUST-%05d,2023-%02d-%02d,%s,%.2f" % (c, m, d, k, n))
    return "\n".join(lines)


def load(text):
    df = pd.read_csv(io.StringIO(text), parse_dates=["date"])
    df["month"] = df["date"].dt.month
    df["gross"] = df["net"] * np.where(df["kind"] == "credit", -1.0, 1.19)
    return df


class Statements:
    def __init__(self, df):
        self.df = df
        self.spent = 0.0

    def one(self, rows):
        monthly = np.bincount(rows["month"], weights=rows["gross"], minlength=13)[1:]
        top = rows.nlargest(3, "gross")["gross"].tolist()
        return {"total": float(monthly.sum()), "worst": int(monthly.argmin()) + 1,
                "median": float(rows["net"].median()), "top": top}

    def all(self):
        df, out = self.df, {}
        for cid in sorted(df["customer"].unique()):
            t0 = time.perf_counter()
            rows = df[df["customer"] == cid]  # FAULT key-scans
            self.spent += time.perf_counter() - t0
            out[cid] = self.one(rows)
        return out


def summary(df):
    pivot = df.pivot_table(index="month", columns="kind", values="gross", aggfunc="sum")
    return pivot.round(0).sum().to_dict()


def main():
    df = load(make_csv())
    s = Statements(df)
    result = s.all()
    best = max(result, key=lambda c: result[c]["total"])
    print(len(result), best, round(result[best]["total"]), summary(df))
    print("truth %.3f" % s.spent)


if __name__ == "__main__":
    main()
