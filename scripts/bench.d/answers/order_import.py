"""Import a day's web orders from CSV into the shop's SQLite database and report turnover by city.

What is wrong: the customer is looked up with `WHERE lower(email) = ?`; the index on email is of no
use for that, so SQLite reads the whole table of 40,000 customers for each of the 350 orders.

First screen should say: about 1.8 s is spent inside sqlite3's execute/fetchone on one statement,
`SELECT id, city FROM customers WHERE lower(email) = ?`, in find_customer(), 350 calls of some 5 ms:
a full scan (EXPLAIN says SCAN customers); amount as printed by `truth`.

Mend: an index on the expression: CREATE INDEX ... ON customers(lower(email)).
"""
import csv
import hashlib
import io
import os
import random
import sqlite3
import tempfile
import time

CUSTOMERS, ORDERS = 40_000, 350
CITIES = ["Bremen", "Lyon", "Porto", "Gent", "Graz", "Turku", "Brno", "Cork"]

SCHEMA = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, email TEXT NOT NULL, city TEXT, note TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customers, sku TEXT,
                     cents INTEGER, digest TEXT);
CREATE UNIQUE INDEX customers_email ON customers(email);
CREATE INDEX orders_customer ON orders(customer);
"""


class Shop:
    def __init__(self, path):
        self.db = sqlite3.connect(path)
        self.db.executescript(SCHEMA)
        self.looking = 0.0

    def load_customers(self, rnd):
        rows = ((n, f"Name {n}", f"Customer.{n}@Example{n % 9}.com", rnd.choice(CITIES), "x" * rnd.randrange(20, 90))
                for n in range(CUSTOMERS))
        with self.db:
            self.db.executemany("INSERT INTO customers VALUES (?, ?, ?, ?, ?)", rows)

    def find_customer(self, email):
        started = time.perf_counter()
        row = self.db.execute("SELECT id, city FROM customers WHERE lower(email) = ?",  # FAULT table-scans
                              (email.strip().lower(),)).fetchone()
        self.looking += time.perf_counter() - started
        return row

    def add_orders(self, lines):
        found = []
        for line in lines:
            customer = self.find_customer(line["email"])
            if customer is None:
                continue
            digest = hashlib.pbkdf2_hmac("sha256", line["email"].encode(), line["sku"].encode(), 10_000).hex()
            found.append((customer[0], line["sku"], int(line["cents"]), digest))
        with self.db:
            self.db.executemany("INSERT INTO orders(customer, sku, cents, digest) VALUES (?, ?, ?, ?)", found)
        return len(found)

    def turnover(self):
        return self.db.execute("SELECT c.city, sum(o.cents), count(*) FROM orders o JOIN customers c"
                               " ON c.id = o.customer GROUP BY c.city ORDER BY c.city").fetchall()


def write_orders(rnd):
    out = io.StringIO()
    writer = csv.DictWriter(out, ["email", "sku", "cents"])
    writer.writeheader()
    for n in range(ORDERS):
        who = rnd.randrange(CUSTOMERS * 101 // 100)
        writer.writerow({"email": f"customer.{who}@example{who % 9}.com", "sku": f"S{n % 77}",
                         "cents": rnd.randrange(500, 90_000)})
    return out.getvalue()


def main():
    rnd = random.Random(11)
    with tempfile.TemporaryDirectory(prefix="order_import.") as folder:
        shop = Shop(os.path.join(folder, "shop.db"))
        shop.load_customers(rnd)
        count = shop.add_orders(csv.DictReader(io.StringIO(write_orders(rnd))))
        print(f"{count} orders imported")
        for city, cents, number in shop.turnover():
            print(f"{city:8} {cents / 100:10.2f} in {number}")
        print(f"truth {shop.looking:.3f}")


if __name__ == "__main__":
    main()
