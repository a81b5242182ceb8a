"""Cool a heated plate for a list of materials and compare the times.

Each material has its own diffusivity and surface loss.  The plate starts with
a few seeded hot spots; the sweep reports the warmest point after the run and
the number of steps until half of the heat was gone.

The kernel takes the material's factors from around it, so that there is another
one to compile for each.
"""
import math
import time
from dataclasses import dataclass

import numpy as np
from numba import njit

SIZE = 180
STEPS = 900
CELL = 0.01
AMBIENT = 20.0
SEED = 9

first_calls = []  # seconds


@dataclass(frozen=True)
class Material:
    name: str
    diffusivity: float
    loss: float


MATERIALS = [
    Material("copper", 1.11e-4, 0.020),
    Material("gold", 1.27e-4, 0.011),
    Material("silver", 1.65e-4, 0.010),
    Material("aluminium", 9.7e-5, 0.024),
    Material("tungsten", 6.6e-5, 0.016),
    Material("zinc", 4.2e-5, 0.021),
    Material("brass", 3.4e-5, 0.018),
    Material("iron", 2.3e-5, 0.015),
    Material("tin", 4.0e-5, 0.019),
    Material("steel", 1.2e-5, 0.012),
    Material("lead", 2.4e-5, 0.017),
    Material("marble", 1.2e-6, 0.028),
    Material("granite", 1.1e-6, 0.030),
    Material("glass", 3.4e-7, 0.026),
    Material("brick", 5.2e-7, 0.031),
    Material("rubber", 1.3e-7, 0.033),
    Material("oak", 1.6e-7, 0.034),
]


def make_plate(rng):
    plate = np.full((SIZE, SIZE), AMBIENT)
    for _ in range(12):
        row, col = rng.integers(10, SIZE - 30, size=2)
        height, width = rng.integers(6, 20, size=2)
        plate[row:row + height, col:col + width] += rng.uniform(40.0, 120.0)
    return plate


def stable_step(material):
    """Largest time step for which the explicit scheme stays stable."""
    return 0.2 * CELL * CELL / material.diffusivity


def build_kernel(material):
    """Compiled update of the plate by one time step for this material."""
    dt = min(stable_step(material), 1.0)
    rate = material.diffusivity * dt / (CELL * CELL)
    fade = math.exp(-material.loss * dt)

    @njit
    def advance(plate, target):
        rows, cols = plate.shape
        heat = 0.0
        for i in range(1, rows - 1):
            for j in range(1, cols - 1):
                centre = plate[i, j]
                around = (plate[i - 1, j] + plate[i + 1, j]
                          + plate[i, j - 1] + plate[i, j + 1])
                value = centre + rate * (around - 4.0 * centre)
                value = AMBIENT + (value - AMBIENT) * fade
                target[i, j] = value
                heat += value - AMBIENT
        # The rim is insulated: it takes the value of its neighbour.
        for i in range(rows):
            target[i, 0] = target[i, 1]
            target[i, cols - 1] = target[i, cols - 2]
        for j in range(cols):
            target[0, j] = target[1, j]
            target[rows - 1, j] = target[rows - 2, j]
        return heat

    return advance


@dataclass
class Outcome:
    material: str
    warmest: float
    half_step: int


def cool_down(material, start):
    advance = build_kernel(material)  # FAULT jit-compiling
    plate = start.copy()
    target = np.empty_like(plate)
    initial = float((start[1:-1, 1:-1] - AMBIENT).sum())
    half_step = -1
    for step in range(STEPS):
        began = time.perf_counter()
        heat = advance(plate, target)  # FAULT jit-compiling
        if step == 0:
            first_calls.append(time.perf_counter() - began)
        plate, target = target, plate
        if half_step < 0 and heat < 0.5 * initial:
            half_step = step
    return Outcome(material.name, float(plate.max()), half_step)


def print_report(outcomes):
    print(f"{'material':10s} {'warmest':>9s} {'half at':>8s}")
    for outcome in sorted(outcomes, key=lambda o: o.warmest):
        print(f"{outcome.material:10s} {outcome.warmest:9.3f} {outcome.half_step:8d}")


def main():
    start = make_plate(np.random.default_rng(SEED))
    outcomes = [cool_down(material, start) for material in MATERIALS]
    print_report(outcomes)
    print("truth %.3f" % sum(first_calls))


if __name__ == "__main__":
    main()
