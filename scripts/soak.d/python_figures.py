"""Says how well a run's Python frames were placed: prints samples, groups of Python frames, the part of them without a
place, and the part of the stacks that were given up.

usage: python_figures.py REPORT.json
Exit status 1 when more than 0.1 % of the groups have no place, or more than 0.1 % of the stacks were given up.
"""
import json
import sys

with open(sys.argv[1]) as file:
    report = json.load(file)
threads = [thread for process in report["processes"] for thread in process["thread_list"]]
samples, stacks, groups = (sum(thread[key] or 0 for thread in threads)
                           for key in ("samples", "python_stacks", "python_groups"))
reasons = report["loss"]["reasons"]
unplaced, rejected = reasons["python_unplaced"], reasons["python_rejected"]
print(samples, groups, f"{unplaced / max(groups, 1):.4%}", f"{rejected / max(stacks + rejected, 1):.4%}")
on = [process for process in report["processes"] if (process.get("python_frames") or {}).get("on")]
if not on or 1000 * unplaced > groups or 1000 * rejected > stacks + rejected:
    sys.exit(1)
