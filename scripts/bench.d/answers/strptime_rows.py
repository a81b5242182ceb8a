"""Sessions per hour from an access log in CSV."""
import csv
import io
import random
import time
from datetime import datetime


def access_log(n):
    rng = random.Random(12)
    out = io.StringIO()
    for i in range(n):
        when = (1 + i % 12, 1 + i % 28, i % 24, i % 60, i % 59)
        host = (i % 200, i % 250)
        out.write("2024-%02d-%02d %02d:%02d:%02d,10.0.%d.%d,/page/7,%d\n" % (*when, *host, rng.randrange(9000)))
    out.seek(0)
    return out


def parse(rows):
    return [(datetime.strptime(row[0], "%Y-%m-%d %H:%M:%S"), row[1]) for row in rows]  # FAULT date-parsing


def sessions(visits):
    last = {}
    per_hour = {}
    for when, host in visits:
        if host not in last or (when - last[host]).total_seconds() > 1800:
            per_hour[when.hour] = per_hour.get(when.hour, 0) + 1
        last[host] = when
    return per_hour


def main():
    rows = list(csv.reader(access_log(200_000)))
    began, cpu = time.perf_counter(), time.thread_time()
    visits = parse(rows)
    spent, cpu = time.perf_counter() - began, time.thread_time() - cpu
    print(len(sessions(visits)))
    print("truth %.3f %.3f" % (spent, cpu))


main()
