#!/usr/bin/env python3
"""What recording takes of short processes, and how much of that the report says the profiler took.

usage: short_processes.py PROF [ROUNDS]
Bare and recorded runs take turns. Of each kind the medians, in milliseconds a process: how much longer the run takes,
and the CPU time that the agent counted. Where processes run at once, longer is less than what each of them takes.
"""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

KINDS = {
    "/bin/true": "for i in $(seq 300); do /bin/true; done",
    "subshells": "for i in $(seq 300); do (:); done",
    "pipelines": "for i in $(seq 150); do x=$(echo a | cut -c1); done",
    "git": "git init -q .; for i in $(seq 100); do git rev-parse --git-dir; done",
    "python3": "for i in $(seq 20); do /usr/bin/python3 -c 1; done",
}


def bare_s(script, room):
    began = time.perf_counter()
    subprocess.run(["bash", "-c", script], cwd=room, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


def recorded(prof, script, room):
    """Seconds, processes, and seconds of CPU time that the agent counted."""
    logs = pathlib.Path(room, "logs")
    subprocess.run([prof, "run", "-q", "-o", logs, "--", "bash", "-c", script], cwd=room, stdout=subprocess.DEVNULL, check=True)
    report = json.loads(subprocess.check_output([prof, "report", logs, "--format", "json"]))
    processes = report["processes"]
    return report["run"]["wall_s"], len(processes), sum(one["agent_cpu_s"] for one in processes)


def main():
    prof = pathlib.Path(sys.argv[1]).resolve()
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 7
    print(f"{'processes':12}{'number':>8}{'longer':>10}{'counted':>10}")
    for name, script in KINDS.items():
        longer, counted = [], []
        for _ in range(rounds):
            with tempfile.TemporaryDirectory() as alone, tempfile.TemporaryDirectory() as room:
                bare = bare_s(script, alone)
                wall, number, agent = recorded(prof, script, room)
            longer.append(1e3 * (wall - bare) / number)
            counted.append(1e3 * agent / number)
        print(f"{name:12}{number:8}{statistics.median(longer):10.2f}{statistics.median(counted):10.2f}", flush=True)


main()
