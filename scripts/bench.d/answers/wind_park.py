"""Plans a wind park: tries layouts in rounds, each round on two workers.

What is wrong: wait_for() looks every 250 ms whether the workers are done, so that each round ends up to 250 ms late.
First screen should say: the program sleeps, at the line in wait_for(), while its workers have nothing to do, some 1.6 s.
Mend: job.get(), which waits for as long as it takes.
"""
import math
import multiprocessing
import random
import time

TURBINES = 26
WINDS = [(angle, 0.5 + abs(math.sin(angle))) for angle in (0.0, 0.8, 1.6, 2.4, 3.2, 4.0, 4.8, 5.6)]


def first_layout(seed=2):
    rng = random.Random(seed)
    return [(rng.uniform(0, 3000), rng.uniform(0, 2000)) for _ in range(TURBINES)]


def wake_loss(layout, angle):
    """Sum of what each turbine loses in the wake of those upwind of it."""
    c, s = math.cos(angle), math.sin(angle)
    turned = sorted((x * c + y * s, y * c - x * s) for x, y in layout)
    loss = 0.0
    for i, (along, across) in enumerate(turned):
        for up_along, up_across in turned[:i]:
            distance = along - up_along
            width = 40 + 0.075 * distance
            side = abs(across - up_across)
            if side < 3 * width:
                loss += 0.33 * (40 / width) ** 2 * math.exp(-(side / width) ** 2)
    return loss


def energy(layout):
    total = sum(weight * (TURBINES - wake_loss(layout, angle)) for angle, weight in WINDS)
    crowd = 0.0
    for i, (x, y) in enumerate(layout):
        for u, v in layout[:i]:
            gap = math.hypot(x - u, y - v)
            if gap < 200:
                crowd += (200 - gap) / 200
    return total - crowd


def explore(job):
    """Random moves from a layout; gives back the best one found."""
    layout, seed, tries = job
    rng = random.Random(seed)
    best, best_energy = layout, energy(layout)
    for _ in range(tries):
        trial = list(best)
        x, y = trial[rng.randrange(TURBINES)]
        trial[rng.randrange(TURBINES)] = (min(3000, max(0, x + rng.gauss(0, 300))),
                                          min(2000, max(0, y + rng.gauss(0, 300))))
        value = energy(trial)
        if value > best_energy:
            best, best_energy = trial, value
    return best_energy, best, time.monotonic()


def wait_for(jobs):
    while not all(job.ready() for job in jobs):
        time.sleep(0.25)  # FAULT sleeping
    return [job.get() for job in jobs]


def plan(rounds=14, tries=500):
    layout = first_layout()
    history = []
    lost = 0.0
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for number in range(rounds):
            jobs = [pool.apply_async(explore, ((layout, number * 10 + k, tries),)) for k in range(2)]
            done = wait_for(jobs)
            lost += time.monotonic() - max(end for _, _, end in done)
            value, layout, _ = max(done)
            history.append(value)
    print("truth", lost)
    return layout, history


def main():
    layout, history = plan()
    print(f"start {history[0]:.4f} end {history[-1]:.4f} rounds {len(history)}")
    print("centre", round(sum(x for x, _ in layout) / TURBINES, 3), round(sum(y for _, y in layout) / TURBINES, 3))


if __name__ == "__main__":
    main()
