"""Converts all weights to double precision in each step, for a mean of a few."""
import time

import numpy

weights = numpy.random.default_rng(0).random(6_000_000, dtype=numpy.float32)
total = spent = cpu = 0.0
for step in range(60):
    began, began_cpu = time.perf_counter(), time.thread_time()
    double = weights.astype(numpy.float64)  # FAULT none page-faults
    spent += time.perf_counter() - began
    cpu += time.thread_time() - began_cpu
    total += double[step::1000].mean()
    del double
print(total)
print("truth", spent, cpu)
