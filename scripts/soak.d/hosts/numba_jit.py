"""numba: functions compiled as the program runs, parallel loops, and compiled code that calls back to Python."""
import threading

import numba
import numpy as np


@numba.njit(nogil=True)
def collatz(limit):
    longest = best = 0
    for start in range(1, limit):
        n, steps = start, 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        if steps > longest:
            longest, best = steps, start
    return best, longest


@numba.njit(parallel=True)
def spread(values):
    out = np.empty_like(values)
    for i in numba.prange(values.shape[0]):
        s = 0
        for j in range(200):
            s = (s * 31 + values[i] + j) % 10007
        out[i] = s
    return out


@numba.vectorize(["int64(int64, int64)"])
def mixed(a, b):
    return (a * 31 + b) % 65537


@numba.njit
def objects(n):
    total = 0
    kept = numba.typed.List.empty_list(numba.int64)
    for i in range(n):
        kept.append(i * i)
    with numba.objmode(total="int64"):
        total = sum(kept)
    return total, len(set([i % 7 for i in kept]))


print("collatz", collatz(300000))
print("spread", int(spread(np.arange(200000)).sum()), numba.threading_layer() in ("omp", "tbb", "workqueue"))
print("mixed", int(mixed(np.arange(10**6), np.int64(7)).sum()))
print("objects", objects(2000))
results = []
threads = [threading.Thread(target=lambda n=n: results.append(collatz(50000 + n)[0])) for n in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("threads", sorted(results))
for turn in range(6):
    # Code that is compiled, called and thrown away.
    made = numba.njit(eval(f"lambda x: x * {turn} + 1"))
    print("made", made(turn), made(float(turn)))
    del made
