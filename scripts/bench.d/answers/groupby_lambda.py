"""Finds outliers among the readings of many sensors: each reading is compared with the mean of its sensor and day.

What is wrong: the group-wise scaling is a lambda given to transform, so pandas builds a Series and calls Python code for
each of thousands of groups.
First screen should say: nearly all the time is in SeriesGroupBy.transform called by scaled(): the lambda and the pandas
machinery run once for each of 14400 groups instead of once for the column.
Mend: subtract groups.transform("mean") and divide by groups.transform("std").
"""
import time

import numpy as np
import pandas as pd

SENSORS = 240
DAYS = 60
READINGS = 300_000

spent = 0.0


def readings():
    draw = np.random.default_rng(12)
    sensor = draw.integers(0, SENSORS, READINGS)
    day = draw.integers(0, DAYS, READINGS)
    value = 20 + sensor % 7 + np.sin(day / 3) + draw.normal(0, 1 + sensor % 3 * 0.5, READINGS)
    value[draw.integers(0, READINGS, 200)] += 9
    return pd.DataFrame({"sensor": sensor, "day": day, "value": value})


def scaled(frame):
    groups = frame.groupby(["sensor", "day"])["value"]
    return groups.transform(lambda v: (v - v.mean()) / v.std())  # FAULT python-for-groups


class Outliers:
    def __init__(self, limit):
        self.limit = limit

    def find(self, frame):
        global spent
        began = time.perf_counter()
        score = scaled(frame)
        spent += time.perf_counter() - began
        found = frame[score.abs() > self.limit].copy()
        found["score"] = score[found.index].round(3)
        return found

    def report(self, found):
        worst = found.reindex(found["score"].abs().sort_values(ascending=False).index).head(5)
        for row in worst.itertuples():
            print("sensor %3d day %2d value %.3f score %.3f" % (row.sensor, row.day, row.value, row.score))
        counts = found.groupby("sensor").size()
        print("outliers", len(found), "sensors", len(counts), "most", int(counts.max()))


def main():
    outliers = Outliers(4.0)
    frame = readings()
    outliers.report(outliers.find(frame))
    daily = frame.groupby("day")["value"].agg(["mean", "max"])
    print("days", len(daily), "warmest %.3f" % daily["mean"].max(), "top %.3f" % daily["max"].max())
    print("truth %.3f" % spent)


main()
