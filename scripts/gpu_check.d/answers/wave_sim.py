"""2-D wave equation on a periodic grid with one fused CUDA kernel per step."""
import os
import time

import cupy as cp

SMALL = os.environ.get("SMALL") == "1"
N, STEPS, REPORT = (256, 200, 100) if SMALL else (8192, 30000, 3000)
MAX_SECONDS = 45

SOURCE = r"""
extern "C" __global__
void advance(const float* __restrict__ u, float* __restrict__ prev, int n, float c2) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    int l = x == 0 ? n - 1 : x - 1, r = x == n - 1 ? 0 : x + 1;
    long long up = (long long)(y == 0 ? n - 1 : y - 1) * n;
    long long dn = (long long)(y == n - 1 ? 0 : y + 1) * n;
    long long row = (long long)y * n;
    float m = u[row + x];
    float lap = u[row + l] + u[row + r] + u[up + x] + u[dn + x] - 4.0f * m;
    prev[row + x] = 2.0f * m - prev[row + x] + c2 * lap;
}
"""


def main():
    advance = cp.RawKernel(SOURCE, "advance")
    axis = cp.linspace(-1, 1, N, dtype=cp.float32)
    u = cp.exp(-200 * (axis[:, None] ** 2 + axis[None, :] ** 2)).astype(cp.float32)
    prev = u.copy()
    block = (64, 4)
    grid = ((N + 63) // 64, (N + 3) // 4)
    size, c2 = cp.int32(N), cp.float32(0.2)
    begin, done = time.time(), 0
    for step in range(1, STEPS + 1):
        advance(grid, block, (u, prev, size, c2))
        u, prev = prev, u
        done = step
        if step % REPORT == 0:
            print(f"step {step} mean square {float((u * u).mean()):.2e}")
            if time.time() - begin > MAX_SECONDS:
                break
    print(f"done: {done} steps, peak {float(u.max()):.3f}")


if __name__ == "__main__":
    main()
