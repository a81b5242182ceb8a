"""Fits decay curves, one instrument after the other."""
import time

import numba
import numpy

spent = 0.0


def residual_of(scale):
    def residual(x, y):
        total = 0.0
        for i in range(x.size):
            d = y[i] - scale * numpy.exp(-x[i] * 0.01)
            total += d * d
        return total

    return residual


def fit(x, curves):
    global spent
    errors = []
    for n, y in enumerate(curves):
        best = 1e30
        for scale in (0.5, 1.0, 2.0):
            began = time.perf_counter()
            residual = numba.njit(residual_of(scale))  # FAULT jit-compiling
            error = residual(x, y)  # FAULT jit-compiling
            spent += (time.perf_counter() - began) * (n > 0)  # once it has to be
            best = min(best, error)
        errors.append(best)
    return errors


def main():
    rng = numpy.random.default_rng(0)
    x = numpy.arange(20000.0)
    curves = [rng.random(20000) for _ in range(12)]
    print("best %.3f" % min(fit(x, curves)))
    print("truth %.3f" % spent)


main()
