"""Recover an object from its diffraction magnitude (error reduction with shrink-wrap)."""
import os
import time

import cupy as cp

SMALL = os.environ.get("SMALL") == "1"
N, ITERS, EVERY = (128, 50, 25) if SMALL else (4096, 3000, 25)
MAX_SECONDS = 45

project = cp.ElementwiseKernel(
    "complex64 f, float32 m", "complex64 o",
    "o = f * (m / (abs(f) + 1e-9f));", "project")
constrain = cp.ElementwiseKernel(
    "complex64 f, bool s", "complex64 o",
    "o = complex<float>(s && f.real() > 0.0f ? f.real() : 0.0f, 0.0f);", "constrain")


def make_magnitude():
    rng = cp.random.default_rng(0)
    obj = cp.zeros((N, N), cp.float32)
    q = N // 4
    obj[q:3 * q, q:3 * q] = rng.random((2 * q, 2 * q), dtype=cp.float32)
    return cp.abs(cp.fft.fft2(obj.astype(cp.complex64))).astype(cp.float32)


def shrink(obj, fraction):
    mag = cp.asnumpy(cp.abs(obj))  # FAULT pageable-copies
    keep = mag > fraction * mag.max()
    keep[:N // 8] = False
    keep[-N // 8:] = False
    return cp.asarray(keep)


def main():
    magnitude = make_magnitude()
    obj = cp.fft.ifft2(magnitude.astype(cp.complex64))
    support = cp.ones((N, N), cp.bool_)
    begin, done = time.time(), 0
    for it in range(ITERS):
        obj = cp.fft.ifft2(project(cp.fft.fft2(obj), magnitude))
        obj = constrain(obj, support)
        if it % EVERY == EVERY - 1:
            support = shrink(obj, 0.001)
            if time.time() - begin > MAX_SECONDS:
                break
        done += 1
    cp.cuda.Device().synchronize()
    print(f"iterations {done} support fraction {float(support.mean()):.2f}")


if __name__ == "__main__":
    main()
