"""SOUND: Smooths rows of three lengths; the kernel of a length is compiled once and kept."""
import functools

import numba
import numpy as np


@functools.lru_cache(maxsize=None)
def kernel_of(width):
    weights = tuple(1.0 / (k + 1) for k in range(width))

    @numba.njit
    def smooth(row, out):
        for i in range(row.size - width):
            total = 0.0
            for k in range(width):
                total += weights[k] * row[i + k]
            out[i] = np.sqrt(np.abs(total))
        return out

    smooth(np.zeros(width), np.zeros(width))
    return smooth


def main():
    rng = np.random.default_rng(1)
    rows = [rng.random(40_000) for _ in range(60)]
    widths = [3 + 2 * (n % 3) for n in range(60)]
    kernels = [kernel_of(width) for width in widths]
    print(sum(kernel(row, np.zeros_like(row)).sum() for kernel, row in zip(kernels, rows)), kernel_of.cache_info())


main()
