"""Watches the pressures of a pipeline and raises an alarm where the short average leaves the long one.

What is wrong: the averages of the windows are taken with statistics.mean, which adds floats exactly as fractions; it takes
some twenty times as long as statistics.fmean, and the exactness is rounded away.
First screen should say: most of the time is in statistics.mean (_sum, _exact_ratio) called by Window.average for each
reading of each pipe.
Mend: statistics.fmean.
"""
import collections
import math
import random
import statistics
import time

READINGS = 19_000
PIPES = ("north", "south", "harbour", "plant")


class Window:
    def __init__(self, size, average):
        self.values = collections.deque(maxlen=size)
        self.reduce = average

    def push(self, value):
        self.values.append(value)

    @property
    def average(self):
        return self.reduce(self.values)


class Alarm:
    def __init__(self, pipe, average, limit=0.35):
        self.pipe = pipe
        self.short = Window(8, average)
        self.long = Window(64, average)
        self.limit = limit
        self.raised = []
        self.inside = False
        self.widest = 0.0

    def reading(self, at, value):
        self.short.push(value)
        self.long.push(value)
        gap = abs(self.short.average - self.long.average)
        self.widest = max(self.widest, gap)
        if gap > self.limit and not self.inside:
            self.raised.append(at)
        self.inside = gap > self.limit


spent = other = 0.0
calls = 0


def average(values):
    global spent, other, calls
    calls += 1
    began = time.perf_counter()
    result = statistics.mean(values)  # FAULT exact-numbers
    ended = time.perf_counter()
    spent += ended - began
    if calls % 64 < 2:
        statistics.fmean(values)
        other += (time.perf_counter() - ended) * 32
    return result


def pressures(pipe):
    draw = random.Random(pipe)
    drift = 0.0
    for at in range(READINGS):
        drift = drift * 0.995 + draw.gauss(0, 0.02)
        burst = 0.8 if at % 3100 > 3060 else 0.0
        yield at, 6.0 + drift + burst + 0.1 * math.sin(at / 40) + draw.gauss(0, 0.05)


def main():
    for pipe in PIPES:
        alarm = Alarm(pipe, average)
        for at, value in pressures(pipe):
            alarm.reading(at, value)
        print("%-8s alarms %3d widest %.4f first %s" % (pipe, len(alarm.raised), alarm.widest, alarm.raised[:4]))
    print("truth %.3f" % (spent - other))


main()
