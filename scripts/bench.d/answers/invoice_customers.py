"""Invoices of a small shop from its database: the customer of each is read when the invoice is written."""
import sqlite3
import time

cost = 0.0


class Shop:
    def __init__(self):
        self.db = sqlite3.connect(":memory:")
        self.db.execute("CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, city TEXT)")
        self.db.execute("CREATE TABLE invoice (id INTEGER PRIMARY KEY, customer INTEGER, cents INTEGER)")
        customers = ((i, f"Customer {i}", f"City {i % 97}") for i in range(5000))
        self.db.executemany("INSERT INTO customer VALUES (?, ?, ?)", customers)
        invoices = ((i, i * 7919 % 5000, i * 37 % 90_000) for i in range(400_000))
        self.db.executemany("INSERT INTO invoice VALUES (?, ?, ?)", invoices)

    def invoices(self):
        return self.db.execute("SELECT id, customer, cents FROM invoice ORDER BY id")

    def customer(self, number):
        return self.db.execute("SELECT name, city FROM customer WHERE id = ?", (number,)).fetchone()  # FAULT rows-one-by-one


def write(shop):
    global cost
    lines = []
    for number, customer, cents in shop.invoices():
        began = time.perf_counter()
        name, city = shop.customer(customer)
        cost += time.perf_counter() - began
        lines.append("%8d %-20s %-10s %10.2f" % (number, name, city, cents / 100))
    return "\n".join(lines)


print(len(write(Shop())))
print("truth %.3f" % cost)
