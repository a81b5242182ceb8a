"""Load stock movements into SQLite and answer stock questions."""
import random
import sqlite3

SCHEMA = """
CREATE TABLE movement (part INTEGER NOT NULL, day INTEGER NOT NULL, qty INTEGER NOT NULL, site TEXT NOT NULL);
"""


def movements(n, seed=23):
    rng = random.Random(seed)
    sites = ["hamburg", "lyon", "gdansk"]
    for i in range(n):
        yield int(rng.random() * 5000), i * 365 // n, int(rng.random() * 40) - 15, sites[i % 3]


class Ledger:
    def __init__(self, path):
        self.db = sqlite3.connect(path)
        self.db.executescript(SCHEMA)

    def load(self, rows):
        with self.db:
            self.db.executemany("INSERT INTO movement VALUES (?, ?, ?, ?)", rows)
            self.db.execute("CREATE INDEX movement_part ON movement (part, day, qty)")

    def stock(self, part, day):
        row = self.db.execute(
            "SELECT coalesce(sum(qty), 0) FROM movement WHERE part = ? AND day <= ?", (part, day))
        return row.fetchone()[0]

    def by_site(self):
        return self.db.execute(
            "SELECT site, count(*), sum(qty) FROM movement GROUP BY site ORDER BY site").fetchall()

    def busiest(self, limit):
        return self.db.execute(
            "SELECT part, count(*) AS n FROM movement GROUP BY part ORDER BY n DESC, part LIMIT ?",
            (limit,)).fetchall()

    def close(self):
        self.db.close()


def main():
    ledger = Ledger("ledger.db")
    ledger.load(movements(1_100_000))
    print(ledger.by_site())
    print(ledger.busiest(3))
    print(sum(ledger.stock(part, 180) for part in range(0, 5000, 50)))
    ledger.close()


if __name__ == "__main__":
    main()
