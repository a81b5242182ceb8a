#!/usr/bin/env python3
"""Scores the first screen on programs with a planted fault, and on sound ones.

usage: answers.py PROF [--peers] [--savings] [--mended] [--amounts FILE] [--programs FOLDER] [NAME...]
  programs: files of answers/ beside this one, or of FOLDER; NAME: only those with it in their name
  --peers    what other profilers say, as a second table
  --amounts  adds to FILE a row for each finding about a planted fault: program, rule, claim, stated error, truth, unit
  --savings  in place of the points, what the findings claim and what mending the fault saves, by the program and its
             mended twin (in mended/ beside it), run in turns without prof: $ROUNDS times each, 3 by default
  --mended   in place of the points of the programs, those of their twins: two where no rule of the fault speaks of one

The line with the fault is marked "FAULT RULE..." in a comment (of several such lines, each will do). The program prints
"truth SECONDS" (or "truth SECONDS CPU_SECONDS", "truth BYTES bytes"): what the fault took by its own measure.
Where the amount is another one it is asked once more in a run without prof: recording may make the fault longer, which
is the profiler's time and no part of what could be saved.

2 points: a finding of one of the rules names the line (its first two places, or the callers of the first), and its
          amount is within a tenth of the truth, 0.2 s of it or its stated error. In a script of a shell
          that does not say its lines it names a command of the line. FAULT none, where no rule knows the fault: the line is the first of the
          user's lines, its figure is as near, and no finding speaks of anything else.
1 point:  half of that: the rule or, in the findings or the first two of the user's lines, the line.
A sound program has two points if nothing is found. A screen of over 40 lines costs a point. What cannot be run here is
left out. Exit status 1 below 95 % of the points.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

from answers_build import SUFFIXES, Service, command
from answers_judge import amounts, judge, judge_mended, truth_of
from answers_peers import table_of_peers
from answers_savings import mended, table_of_savings

HERE = pathlib.Path(__file__).parent


def measure(prof, program, room, table):
    """Points and why not all; no points: why it was left out. The program runs in the folder room."""
    run = room.with_name(room.name + ".run")
    start = command(program, room)
    if not start:
        return None, "cannot be built"
    done = subprocess.run([prof, "run", "-q", "-o", run, "--", *start], cwd=room, capture_output=True, text=True)
    if done.returncode != 0:
        return None, "".join(done.stderr.strip().splitlines()[-1:])
    report = json.loads(subprocess.check_output([prof, "report", run, "--format", "json"]))
    screen = subprocess.check_output([prof, "report", run], text=True).splitlines()
    score, why = judge(program, report, truth_of(done.stdout))
    if score == 1:
        # Not where it has been: it may leave files behind.
        fresh = room.with_name(room.name + ".alone")
        fresh.mkdir()
        alone = subprocess.run(command(program, fresh), cwd=fresh, capture_output=True, text=True)
        done = alone
        score, why = judge(program, report, truth_of(alone.stdout))
    if table:
        with open(table, "a") as out:
            out.writelines("\t".join(map(str, row)) + "\n" for row in amounts(program, report, truth_of(done.stdout)))
    if len(screen) > 40:
        score, why = max(0, score - 1), f"{why} (the screen has {len(screen)} lines)"
    return score, why


def measure_mended(prof, program, room):
    """The same of the program without its fault."""
    twin = mended(program, room)
    start = twin and command(twin, room)
    if not start:
        return None, "there is none, or it cannot be built"
    run = room.with_name(room.name + ".run")
    done = subprocess.run([prof, "run", "-q", "-o", run, "--", *start], cwd=room, capture_output=True, text=True)
    if done.returncode != 0:
        return None, "".join(done.stderr.strip().splitlines()[-1:])
    return judge_mended(program, json.loads(subprocess.check_output([prof, "report", run, "--format", "json"])))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("prof", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--savings", action="store_true")
    parser.add_argument("--mended", action="store_true")
    parser.add_argument("--amounts", type=pathlib.Path)
    parser.add_argument("--programs", type=pathlib.Path, default=HERE / "answers")
    options = parser.parse_intermixed_args()
    programs = sorted(path for path in options.programs.resolve().iterdir() if path.suffix in SUFFIXES)
    programs = [p for p in programs if not options.names or any(name in p.name for name in options.names)]
    points = most = 0
    with tempfile.TemporaryDirectory() as room, Service():
        if options.savings:
            table_of_savings(options.prof.resolve(), programs, room)
            return 0
        for program in programs:
            place = pathlib.Path(room, program.name)
            if options.mended:
                score, why = measure_mended(options.prof.resolve(), program, place)
            else:
                place.mkdir()
                score, why = measure(options.prof.resolve(), program, place, options.amounts)
            print(f"{program.name:26} {'-' if score is None else score}  {why}".rstrip(), flush=True)
            points += score or 0
            most += 0 if score is None else 2
        print(f"{points} of {most} points, {100 * points / max(1, most):.0f} %")
        if options.peers:
            table_of_peers(programs, room)
    return 0 if points >= 0.95 * most else 1


if __name__ == "__main__":
    sys.exit(main())
