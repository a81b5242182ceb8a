"""SOUND: batch insert in one transaction, then a few aggregates."""
import math
import os
import sqlite3

PATH = "batch.db"


def rows(n):
    for i in range(n):
        yield i, "sensor-%d" % (i % 50), 20 + 5 * math.sin(i / 100)


def main():
    if os.path.exists(PATH):
        os.unlink(PATH)
    conn = sqlite3.connect(PATH)
    conn.execute("CREATE TABLE r (id INTEGER PRIMARY KEY, sensor TEXT, value REAL)")
    with conn:
        conn.executemany("INSERT INTO r VALUES (?, ?, ?)", rows(700_000))
    for q in ("avg(value)", "max(value)", "count(*)"):
        print(conn.execute("SELECT sensor, %s FROM r GROUP BY sensor ORDER BY 2 DESC LIMIT 1" % q).fetchone())
    conn.close()
    os.unlink(PATH)


main()
