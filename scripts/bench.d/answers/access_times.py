"""Makes sessions out of a web server's log.

What is wrong: pd.to_datetime is called without a format on text such as "17/Oct/2019 14:03:11", so pandas parses every
text by dateutil, in Python.
First screen should say: the time is in pd.to_datetime at load_log, where dateutil's parser runs once for each of 90000
texts - give it a format.
Mend: format="%d/%b/%Y %H:%M:%S".
"""
import io
import time

import numpy as np
import pandas as pd

LINES = 90000
parsing = 0.0


def make_log():
    rng = np.random.default_rng(17)
    start = np.datetime64("2019-10-17T06:00:00")
    seconds = np.cumsum(rng.integers(1, 4, LINES))
    stamps = pd.Series(start + seconds.astype("timedelta64[s]")).dt.strftime("%d/%b/%Y %H:%M:%S")
    users = rng.integers(0, 1500, LINES)
    pages = rng.integers(0, 80, LINES)
    sizes = rng.integers(200, 90000, LINES)
    out = io.StringIO()
    out.write("user,stamp,page,size\n")
    for user, stamp, page, size in zip(users, stamps, pages, sizes):
        out.write(f"u{user},{stamp},/p/{page},{size}\n")
    out.seek(0)
    return out


def load_log(source):
    global parsing
    frame = pd.read_csv(source, dtype={"user": "category", "page": "category"})
    began = time.perf_counter()
    frame["at"] = pd.to_datetime(frame["stamp"], dayfirst=True)  # FAULT date-parsing
    parsing = time.perf_counter() - began
    return frame


def sessions(frame, gap="15min"):
    frame = frame.sort_values(["user", "at"])
    fresh = (frame["user"] != frame["user"].shift()) | (frame["at"].diff() > pd.Timedelta(gap))
    frame["session"] = fresh.cumsum()
    return frame.groupby("session").agg(first=("at", "min"), last=("at", "max"), hits=("size", "size"), bytes=("size", "sum"))


def hourly(frame):
    return frame.set_index("at").groupby("page", observed=True)["size"].resample("H").sum()


frame = load_log(make_log())
found = sessions(frame)
lengths = (found["last"] - found["first"]).dt.total_seconds()
traffic = hourly(frame)
print("sessions", len(found), "mean", round(lengths.mean(), 3), "hours", len(traffic))
some = frame["stamp"][:LINES // 4]
began = time.perf_counter()
pd.to_datetime(some, format="%d/%b/%Y %H:%M:%S")
print("truth", parsing - 4 * (time.perf_counter() - began))
