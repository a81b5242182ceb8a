"""Import sensor readings to SQLite."""
import math
import os
import sqlite3
import time

PATH = "sensors.db"
cost = 0.0


def readings(n):
    for i in range(n):
        yield i, "sensor-%d" % (i % 50), 20 + 5 * math.sin(i / 100), i * 30


def store(conn, reading):
    global cost
    conn.execute("INSERT INTO readings VALUES (?, ?, ?, ?)", reading)
    t = time.perf_counter()
    conn.commit()  # FAULT synced-writes sqlite-commits
    cost += time.perf_counter() - t


def statistics(conn):
    result = {}
    for sensor, value in conn.execute("SELECT sensor, value FROM readings"):
        n, s, ss = result.get(sensor, (0, 0.0, 0.0))
        result[sensor] = n + 1, s + value, ss + value * value
    return result


def main(n=int(os.environ.get("N", 110))):
    if os.path.exists(PATH):
        os.unlink(PATH)
    conn = sqlite3.connect(PATH)
    conn.execute("CREATE TABLE readings (id INTEGER PRIMARY KEY, sensor TEXT, value REAL, at INTEGER)")
    stored = 0
    for r in readings(100 * n):
        store(conn, r)
        stored += 1
        if stored >= n and cost > 0.5:  # some disks are fast
            break
    for _ in range(660000 // stored):
        stats = statistics(conn)
    print(len(stats), "sensors")
    conn.close()
    os.unlink(PATH)
    print("truth %.3f" % (cost * (stored - 1) / stored))


main()
