"""Monthly loyalty statement: tier, points and next-best offer of each member.

What is wrong: all orders are compared with each member's number in turn.
First screen should say: the line that masks the orders, more than half of the run, numexpr's threads included.
Mend: groupby() once.
"""
import time

import numpy as np
import pandas as pd

spent = 0.0

TIERS = [(0, "basic"), (900, "silver"), (1500, "gold"), (2300, "platinum")]
CATEGORIES = ["grocery", "home", "garden", "toys", "books", "drinks"]


def load_orders(rows, members, seed):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({
        "member": rng.integers(0, members, rows),
        "day": rng.integers(0, 365, rows),
        "category": pd.Categorical.from_codes(
            rng.integers(0, len(CATEGORIES), rows), CATEGORIES),
        "amount": rng.gamma(2.0, 11.0, rows).round(2),
        "returned": rng.random(rows) < 0.04,
    })


def load_members(count, seed):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({
        "member": np.arange(count),
        "joined": rng.integers(2008, 2023, count),
        "region": rng.integers(1, 17, count),
    })


def tier_of(spend):
    name = TIERS[0][1]
    for floor, tier in TIERS:
        if spend >= floor:
            name = tier
    return name


def purchase_rhythm(days):
    """Mean gap and its regularity between shopping days."""
    days = np.unique(days)
    if len(days) < 3:
        return 365.0, 0.0
    gaps = np.diff(days)
    return float(gaps.mean()), float(1.0 / (1.0 + gaps.std()))


def favourite(frame):
    sums = np.bincount(frame["category"].cat.codes.to_numpy(),
                       weights=frame["amount"].to_numpy(),
                       minlength=len(CATEGORIES))
    order = np.argsort(sums)
    return CATEGORIES[order[-1]], CATEGORIES[order[0]]


def statement(member, joined, own):
    kept = own[~own["returned"]]
    spend = float(kept["amount"].sum())
    gap, regular = purchase_rhythm(kept["day"].to_numpy())
    best, least = favourite(kept)
    points = int(spend * (1.0 + 0.02 * (2023 - joined)) + 40 * regular)
    recent = kept[kept["day"] > 335]
    return {
        "member": member, "tier": tier_of(spend), "spend": spend,
        "points": points, "gap": gap, "favourite": best,
        "offer": least if gap < 20 else best,
        "recent": float(recent["amount"].sum()),
    }


def build_statements(orders, members):
    global spent
    rows = []
    for person in members.itertuples():
        began = time.perf_counter()
        own = orders[orders["member"] == person.member]  # FAULT key-scans
        spent += time.perf_counter() - began
        if own.empty:
            continue
        rows.append(statement(person.member, person.joined, own))
    return pd.DataFrame(rows)


def main():
    count = 2600
    orders = load_orders(1_200_000, count, seed=21)
    members = load_members(count, seed=22)
    report = build_statements(orders, members)
    by_tier = report.groupby("tier").agg(
        n=("member", "count"), spend=("spend", "sum"),
        points=("points", "sum"), recent=("recent", "mean"))
    print(by_tier.round(2).to_string())
    print(report["offer"].value_counts().to_string())
    print("truth %.3f" % spent)


if __name__ == "__main__":
    main()
