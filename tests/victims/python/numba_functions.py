"""Functions that numba compiles as the program runs. usage: numba_functions.py [SECONDS [loops|fork|ufunc]]"""
import os
import sys
import time

import numba
import numpy as np


@numba.njit
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@numba.njit
def total(values):
    out = 0.0
    for v in values:
        out += np.sqrt(v) * np.sin(v)
    return out


def outer(k):
    @numba.njit
    def inner(n):
        s = 0
        for i in range(n):
            s += (i * k) ^ s
        return s

    return inner


@numba.njit(parallel=True)
def spread(values):
    out = 0.0
    for i in numba.prange(values.shape[0]):
        out += np.exp(values[i] % 3)
    return out


@numba.njit(debug=True)
def collatz(limit):
    best = 0
    for n in range(1, limit):
        steps, k = 0, n
        while k != 1:
            k = k // 2 if k % 2 == 0 else 3 * k + 1
            steps += 1
        best = max(best, steps)
    return best


@numba.vectorize(["float64(float64)"])
def weigh(x):
    s = 0.0
    for i in range(50):
        s += x * i
    return s


def work(seconds, *calls):
    end = time.process_time() + seconds
    while time.process_time() < end:
        for function, argument in calls:
            function(argument)


def loops(seconds):
    values = np.arange(300000.0)
    work(seconds, (fib, 24), (total, values), (outer(7), 200000), (spread, values))


def ufunc(seconds):
    work(seconds, (weigh, np.arange(100000.0)))


def fork(seconds):
    work(seconds * 2 / 3, (collatz, 20000), (weigh, np.arange(100000.0)))
    if os.fork() == 0:
        work(seconds / 3, (collatz, 20000), (weigh, np.arange(100000.0)))
        os._exit(0)
    os.wait()


if __name__ == "__main__":
    duration = float(sys.argv[1]) if len(sys.argv) > 1 else 3.0
    globals()[sys.argv[2] if len(sys.argv) > 2 else "loops"](duration)
