"""Looks the orders of each customer up in a table without an index."""
import sqlite3
import time

base = sqlite3.connect(":memory:")
base.execute("CREATE TABLE orders (customer INTEGER, total REAL)")
base.executemany("INSERT INTO orders VALUES (?, ?)", ((i * 7919 % 5000, i / 3) for i in range(40000)))
spent = cpu = total = 0.0
for customer in range(600):
    began, began_cpu = time.perf_counter(), time.thread_time()
    rows = base.execute("SELECT total FROM orders WHERE customer = ?", (customer,)).fetchall()  # FAULT table-scans
    spent += time.perf_counter() - began
    cpu += time.thread_time() - began_cpu
    total += sum(row[0] for row in rows)
print("%.1f" % total)
print("truth", spent, cpu)
