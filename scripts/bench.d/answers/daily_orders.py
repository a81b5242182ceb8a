"""Daily figures and product pairs of a web shop, from its order database.

The database is built from seeded random orders.  The report shows revenue and
share of cancelled orders per day with a confidence interval, then the pairs
of products that are bought together most often.

The query of a day asks for what date() makes of the time of each order, which the
index of that column does not have.
"""
import random
import sqlite3
import time
from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import combinations

FIRST_DAY = date(2023, 3, 1)
DAYS = 400
ORDERS = 65_000
PRODUCTS = 400
RESAMPLES = 60_000

spent = 0.0  # in the queries of days

SCHEMA = """
CREATE TABLE orders (
    id INTEGER PRIMARY KEY,
    placed_at TEXT NOT NULL,
    status TEXT NOT NULL,
    amount_cents INTEGER NOT NULL
);
CREATE TABLE order_items (
    order_id INTEGER NOT NULL REFERENCES orders(id),
    product_id INTEGER NOT NULL,
    PRIMARY KEY (order_id, product_id)
) WITHOUT ROWID;
CREATE INDEX orders_by_time ON orders(placed_at, status, amount_cents);
"""

DAY_QUERY = """
SELECT status, COUNT(*), SUM(amount_cents)
FROM orders
WHERE date(placed_at) = ?
GROUP BY status
"""


@dataclass
class DayFigures:
    day: date
    revenue_cents: int
    orders: int
    cancelled: int

    @property
    def cancelled_share(self):
        return self.cancelled / self.orders if self.orders else 0.0


def random_orders(rng):
    start = datetime.combine(FIRST_DAY, datetime.min.time())
    seconds = DAYS * 86_400
    for number in range(1, ORDERS + 1):
        placed = start + timedelta(seconds=int(rng.random() * seconds))
        status = "cancelled" if rng.random() < 0.06 else "paid"
        yield number, str(placed), status, int(rng.random() * 25_000) + 500


def random_items(rng):
    for number in range(1, ORDERS + 1):
        anchor = int(rng.random() ** 2 * PRODUCTS)
        for offset in {0, *(int(rng.random() * 30) for _ in range(2))}:
            yield number, (anchor + offset) % PRODUCTS


def build_database(seed):
    rng = random.Random(seed)
    connection = sqlite3.connect(":memory:")
    connection.executescript(SCHEMA)
    with connection:
        connection.executemany("INSERT INTO orders VALUES (?, ?, ?, ?)", random_orders(rng))
        connection.executemany("INSERT INTO order_items VALUES (?, ?)", random_items(rng))
    return connection


def figures_of_day(connection, day):
    revenue = orders = cancelled = 0
    global spent
    start = time.perf_counter()
    for status, count, amount in connection.execute(DAY_QUERY, (day.isoformat(),)):  # FAULT table-scans
        orders += count
        if status == "cancelled":
            cancelled = count
        else:
            revenue += amount
    spent += time.perf_counter() - start
    return DayFigures(day, revenue, orders, cancelled)


def daily_report(connection):
    days = [FIRST_DAY + timedelta(days=offset) for offset in range(DAYS)]
    return [figures_of_day(connection, day) for day in days]


def mean_interval(values, rng, resamples):
    """Bootstrap interval (95 %) of the mean of the values."""
    count = len(values)
    means = sorted(
        sum(rng.choices(values, k=count)) / count for _ in range(resamples)
    )
    return means[int(0.025 * resamples)], means[int(0.975 * resamples)]


def baskets(connection):
    """The products of one order after the other."""
    current, products = None, []
    query = "SELECT order_id, product_id FROM order_items ORDER BY order_id, product_id"
    for order, product in connection.execute(query):
        if order != current and products:
            yield products
            products = []
        current = order
        products.append(product)
    if products:
        yield products


def frequent_pairs(connection, top):
    pairs = Counter()
    for products in baskets(connection):
        pairs.update(combinations(products, 2))
    return sorted(pairs.items(), key=lambda item: (-item[1], item[0]))[:top]


def main():
    connection = build_database(seed=31)
    report = daily_report(connection)
    best = max(report, key=lambda figures: figures.revenue_cents)
    worst = max(report, key=lambda figures: figures.cancelled_share)
    print(f"orders {sum(f.orders for f in report)}  "
          f"revenue {sum(f.revenue_cents for f in report) / 100:.2f}")
    low, high = mean_interval([f.revenue_cents for f in report], random.Random(5), RESAMPLES)
    print(f"revenue per day {low / 100:.2f} to {high / 100:.2f}")
    print(f"best day {best.day} {best.revenue_cents / 100:.2f}")
    print(f"most cancelled {worst.day} {worst.cancelled_share:.3f}")
    for pair, count in frequent_pairs(connection, 3):
        print(pair, count)
    print("truth %.3f" % spent)


if __name__ == "__main__":
    main()
