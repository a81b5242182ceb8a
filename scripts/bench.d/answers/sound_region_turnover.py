"""SOUND: Turnover of regions, whatever their case: the index is of lower(region)."""
import random
import sqlite3


def fill(db):
    rng = random.Random(1)
    regions = ["North", "South", "East", "West"]
    db.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, region TEXT, amount REAL)")
    db.executemany("INSERT INTO orders (region, amount) VALUES (?, ?)",
                   ((rng.choice(regions), i % 97) for i in range(200_000)))
    db.execute("CREATE INDEX by_region ON orders (lower(region), amount)")


def turnover(db, region):
    return db.execute("SELECT SUM(amount) FROM orders WHERE LOWER(region) = ?", (region,)).fetchone()[0]


def main():
    db = sqlite3.connect(":memory:")
    fill(db)
    plan = db.execute("EXPLAIN QUERY PLAN SELECT SUM(amount) FROM orders WHERE lower(region) = 'a'")
    print([tuple(r)[3] for r in plan])
    print(sum(turnover(db, ["north", "south", "east", "west"][n % 4]) for n in range(200)))


main()
