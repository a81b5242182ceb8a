"""Nightly compaction: finds the distinct rows of click shards and packs them, with the usual Unix tools.

What is wrong: the end of each job is looked for every half second, and a job takes a tenth of that.
First screen should say: the program sleeps, time.sleep(0.5), some 3.5 s.
Mend: process.wait().
"""
import gzip
import hashlib
import os
import random
import shlex
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(tempfile.mkdtemp(prefix="clicks"))
SHARDS = 8
ROWS = 60_000
CAMPAIGNS = ["spring", "summer", "brand", "retarget", "video", "search"]


def write_shards():
    rng = random.Random(2024)
    for number in range(SHARDS):
        with open(ROOT / f"clicks_{number:02d}.tsv", "w") as handle:
            for _ in range(ROWS):
                user = rng.randrange(4000)
                handle.write(f"u{user:05d}\t{rng.choice(CAMPAIGNS)}\t{rng.randrange(24):02d}\t{user % 7}\n")


def compact_command(source, target):
    source, target = shlex.quote(str(source)), shlex.quote(str(target))
    return f"sort -u {source} | awk -F'\\t' '$4 != 0' | gzip -n -6 > {target}"


class JobRunner:
    """Runs the shell jobs one after the other, so that the nightly window keeps a core free."""

    def __init__(self):
        self.finished = 0
        self.taken = 0.0
        self.log = []

    def run(self, name, command):
        env = dict(os.environ, LC_ALL="C")
        began = time.perf_counter()
        process = subprocess.Popen(["bash", "-o", "pipefail", "-c", command], env=env)
        while process.poll() is None:
            time.sleep(0.5)  # FAULT sleeping
        if process.returncode != 0:
            raise RuntimeError(f"{name} failed with status {process.returncode}")
        self.finished += 1
        self.taken += time.perf_counter() - began
        self.log.append(name)


def compact(runner):
    targets = []
    for number in range(SHARDS):
        source = ROOT / f"clicks_{number:02d}.tsv"
        target = ROOT / f"clicks_{number:02d}.tsv.gz"
        runner.run(source.name, compact_command(source, target))
        targets.append(target)
    return targets


def summarise(targets):
    per_campaign, per_hour = Counter(), Counter()
    users = set()
    digest = hashlib.sha256()
    for target in targets:
        with gzip.open(target, "rt") as handle:
            for line in handle:
                user, campaign, hour, _ = line.rstrip("\n").split("\t")
                per_campaign[campaign] += 1
                per_hour[hour] += 1
                users.add(user)
                digest.update(line.encode())
    return per_campaign, per_hour, users, digest.hexdigest()


def write_summary(per_campaign, per_hour):
    with open(ROOT / "summary.txt", "w") as handle:
        for campaign, clicks in sorted(per_campaign.items()):
            handle.write(f"{campaign:<10}{clicks:>9}\n")
        for hour in sorted(per_hour):
            handle.write(f"{hour}:00     {per_hour[hour]:>9}\n")


def main():
    write_shards()
    runner = JobRunner()
    targets = compact(runner)
    per_campaign, per_hour, users, digest = summarise(targets)
    write_summary(per_campaign, per_hour)
    peak = max(per_hour, key=lambda hour: (per_hour[hour], hour))
    print(f"{runner.finished} shards, {sum(per_campaign.values())} rows, {len(users)} users, peak hour {peak}")
    print("digest", digest[:16])
    # What one more job takes when its end is waited for.
    source = ROOT / "clicks_00.tsv"
    began = time.perf_counter()
    command = compact_command(source, ROOT / "once_more.gz")
    subprocess.run(["bash", "-c", command], env=dict(os.environ, LC_ALL="C"), check=True)
    print("truth", runner.taken - SHARDS * (time.perf_counter() - began))
    shutil.rmtree(ROOT)


if __name__ == "__main__":
    main()
