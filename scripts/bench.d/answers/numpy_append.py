"""Grows an array by appending to it."""
import time

import numpy

values = numpy.zeros(400000)
spent = 0.0
for i in range(900):
    began = time.perf_counter()
    values = numpy.append(values, [i] * 100)  # FAULT growing-by-copies
    spent += time.perf_counter() - began
print("truth", spent)
