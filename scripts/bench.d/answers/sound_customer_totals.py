"""SOUND: What customers ordered in all, without what was cancelled: an index finds their orders."""
import random
import sqlite3


def fill(db):
    rng = random.Random(1)
    db.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER, cancelled INTEGER, amount REAL)")
    db.executemany("INSERT INTO orders (customer, cancelled, amount) VALUES (?, ?, ?)",
                   ((rng.randrange(20), rng.choice((None, 0, 0, 1)), i % 97) for i in range(150_000)))
    db.execute("CREATE INDEX by_customer ON orders (customer, cancelled, amount)")


def ordered(db, customer):
    return db.execute("SELECT COUNT(*), SUM(amount) FROM orders WHERE customer = ? AND COALESCE(cancelled, 0) = 0",
                      (customer,)).fetchone()


def main():
    db = sqlite3.connect(":memory:")
    fill(db)
    print([tuple(r)[3] for r in db.execute("EXPLAIN QUERY PLAN SELECT COUNT(*), SUM(amount) FROM orders WHERE "
                                           "customer = 3 AND COALESCE(cancelled, 0) = 0")])
    print(sum(ordered(db, n % 20)[1] for n in range(800)))


main()
