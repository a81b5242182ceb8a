"""Runs a C simulation of satellites (built on the spot) and summarises the lines it prints.

What is wrong: Popen(..., bufsize=0) makes proc.stdout an unbuffered raw file. Reading lines from it
    fetches one byte per read() system call: millions of system calls for some megabytes.
First screen should say: the Python side spends most of the run in reading lines from the pipe, by
    read() calls of 1 byte each (one per byte of output); line: the Popen with bufsize=0 (felt in the
    readline in Simulation.batches); amount: the seconds printed as "truth".
Mend: leave bufsize at its default (-1), so that stdout is a BufferedReader.
"""
import math
import os
import shutil
import subprocess
import tempfile
import time
from collections import defaultdict

SIMULATOR = r"""
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
typedef struct { double x, y, vx, vy; } Body;
static void step(Body *b, double dt) {           /* one leapfrog step around the Earth, km and s */
    const double mu = 398600.4418;
    double r2 = b->x * b->x + b->y * b->y, k = -mu / (r2 * sqrt(r2));
    b->vx += k * b->x * dt; b->vy += k * b->y * dt;
    b->x += b->vx * dt; b->y += b->vy * dt;
}
int main(int argc, char **argv) {
    int n = atoi(argv[1]), rows = atoi(argv[2]), sub = atoi(argv[3]);
    Body *b = calloc(n, sizeof *b);
    for (int i = 0; i < n; i++) {
        b[i].x = 6700 + 10.0 * i; b[i].vy = sqrt(398600.4418 / b[i].x) * (1 + 0.0005 * (i % 17));
    }
    for (int t = 0; t < rows; t++)
        for (int i = 0; i < n; i++) {
            for (int s = 0; s < sub; s++) step(&b[i], 60.0 / sub);
            printf("%d,%d,%.6f,%.6f,%.8f,%.8f\n", t, i, b[i].x, b[i].y, b[i].vx, b[i].vy);
        }
    return 0;
}
"""


class Simulation:
    def __init__(self, folder):
        source, self.binary = os.path.join(folder, "orbit.c"), os.path.join(folder, "orbit")
        with open(source, "w") as f:
            f.write(SIMULATOR)
        subprocess.run(["gcc", "-g", "-O2", "-o", self.binary, source, "-lm"], check=True)
        self.read_seconds = 0.0

    def batches(self, bodies, rows, sub):
        """Yields one list of raw lines per time step."""
        args = [self.binary, str(bodies), str(rows), str(sub)]
        proc = subprocess.Popen(args, stdout=subprocess.PIPE, bufsize=0)  # FAULT small-messages
        for _ in range(rows):
            t = time.perf_counter()
            lines = [proc.stdout.readline() for _ in range(bodies)]
            self.read_seconds += time.perf_counter() - t
            yield lines
        proc.stdout.close()
        if proc.wait():
            raise RuntimeError("simulation failed")


class OrbitStats:
    def __init__(self):
        self.low, self.high = defaultdict(lambda: math.inf), defaultdict(float)
        self.energy, self.turns, self.last = defaultdict(list), defaultdict(int), {}
        self.anomaly, self.place, self.nearest = {}, {}, math.inf

    def add(self, line):
        _, body, x, y, vx, vy = line.split(b",")
        x, y, vx, vy = float(x), float(y), float(vx), float(vy)
        r = math.hypot(x, y)
        self.low[body], self.high[body] = min(self.low[body], r), max(self.high[body], r)
        self.energy[body].append(0.5 * (vx * vx + vy * vy) - 398600.4418 / r)
        angle = math.atan2(y, x)
        self.place[body] = x, y
        if self.last.get(body, 0.0) < 0 <= angle:
            self.turns[body] += 1
        self.last[body] = angle
        self.anomaly[body] = self.mean_anomaly(x, y, vx, vy, r)

    @staticmethod
    def mean_anomaly(x, y, vx, vy, r):
        """Where the satellite is on its ellipse, from the eccentricity vector."""
        mu = 398600.4418
        h = x * vy - y * vx
        ex, ey = vy * h / mu - x / r, -vx * h / mu - y / r
        ecc = math.hypot(ex, ey)
        true = math.atan2(ex * y - ey * x, ex * x + ey * y)
        ecc_anomaly = 2 * math.atan2(math.sqrt(max(0.0, 1 - ecc)) * math.sin(true / 2), math.sqrt(1 + ecc) * math.cos(true / 2))
        return ecc_anomaly - ecc * math.sin(ecc_anomaly)

    def approaches(self):
        """Smallest distance between satellites, looking at the twelve that follow each along the sky."""
        sky = [self.place[b] for b, _ in sorted(self.last.items(), key=lambda item: item[1])]
        for i, (x, y) in enumerate(sky):
            self.nearest = min(self.nearest, min((math.hypot(x - u, y - v) for u, v in sky[i + 1 : i + 13]), default=math.inf))

    def report(self):
        drift = max(max(e) - min(e) for e in self.energy.values())
        far = max(self.high, key=lambda b: self.high[b] - self.low[b])
        print(f"{len(self.low)} satellites, {sum(self.turns.values())} revolutions, energy spread {drift:.2e}")
        print(f"most eccentric: {far.decode()} from {self.low[far]:.0f} to {self.high[far]:.0f} km; nearest approach {self.nearest:.2f} km")


def main():
    start = time.perf_counter()
    folder = tempfile.mkdtemp(prefix="orbit_")
    try:
        sim, stats = Simulation(folder), OrbitStats()
        for lines in sim.batches(bodies=200, rows=540, sub=60):
            for line in lines:
                stats.add(line)
            stats.approaches()
        stats.report()
    finally:
        shutil.rmtree(folder)
    print(f"total {time.perf_counter() - start:.2f}")
    print(f"truth {sim.read_seconds:.2f}")


if __name__ == "__main__":
    main()
