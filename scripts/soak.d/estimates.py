"""Runs a program with known sites under sampled heap mode, seed by seed, and holds the estimates against the truth.

usage: estimates.py BUILD_FOLDER PROGRAM RUNS    prints, for each figure, the error of the mean and the spread as a part
of what the theory says; fails when a mean is off by more than 1 % or a spread by more than a quarter.
"""
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

INTERVAL = 16384
# Of each site: how many blocks, and their smallest and largest size, all sizes being as frequent.
SITES = {"small": (400000, 64, 64), "mixed": (25000, 1, 2000), "large": (400, 50000, 79999)}


def deviation(blocks, least, most):
    variance = 0.0
    for size in range(least, most + 1):
        p = -math.expm1(-size / INTERVAL)
        variance += size * size * (1 - p) / p
    return math.sqrt(variance * blocks / (most - least + 1))


def one_run(tree, program, seed):
    directory = tempfile.mkdtemp(prefix="prof-estimates.")
    try:
        settings = {"PROF_HEAP": "sampled:%d" % INTERVAL, "PROF_SEED": str(seed), "PROF_OUT": directory + "/run"}
        environment = dict(os.environ, LD_PRELOAD=tree + "/libprof.so", PROF_QUIET="on", **settings)
        output = subprocess.run([program], env=environment, check=True, capture_output=True, text=True).stdout
        report = subprocess.run(
            [tree + "/prof", "report", directory + "/run", "--format", "json"], check=True, capture_output=True
        ).stdout
    finally:
        shutil.rmtree(directory)
    truth = {name: int(value) for name, value in (line.split() for line in output.splitlines())}
    estimates = dict.fromkeys(truth, 0)
    for site in json.loads(report)["heap"]["sites"]:
        names = {frame["name"] for frame in site["stack"]}
        for name in SITES:
            if "site_" + name in names:
                estimates[name + "_bytes"] += site["allocated_bytes"]
                estimates[name + "_live"] += site["live_bytes"]
    return truth, estimates


def main():
    tree, program, runs = sys.argv[1], sys.argv[2], int(sys.argv[3])
    results = [one_run(tree, program, seed) for seed in range(1, runs + 1)]
    truth = results[0][0]
    right = True
    words = []
    for name in truth:
        values = [estimates[name] for _, estimates in results]
        site, what = name.split("_")
        expected = deviation(*SITES[site]) / (math.sqrt(2) if what == "live" else 1)
        error = statistics.mean(values) / truth[name] - 1
        spread = statistics.stdev(values) / expected
        right = right and abs(error) < 0.01 and 0.75 < spread < 1.25
        words.append("%s %+.2f %% %.2f" % (name, 100 * error, spread))
    print(", ".join(words))
    return 0 if right else 1


sys.exit(main())
