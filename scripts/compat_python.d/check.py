"""Runs one interpreter under libprof in the ways in which programs keep it busy, at dense ticks, and prints its rows of
scripts/compat_python's table; what does not hold goes to stderr.

usage: check.py PYTHON TREE VICTIMS WORK SECONDS LOAD...    TREE has prof and libprof.so, VICTIMS: tests/victims/python,
                                                            WORK: an empty folder
       check.py --head                                      the head of the table
"""
import json
import os
import subprocess
import sys

COLUMNS = [("Python", 9), ("build", 6), ("load", 13), ("samples", 9), ("groups", 9), ("lines", 9), ("wrong", 6),
           ("rejected", 9), ("unplaced", 9), ("tasks", 6), ("ends", 10)]
TICKS = "10000"  # a second
ENDS_WITH = 3    # the status of every load
# Loads that are ways of task_shares.py, which says what it burnt for which task.
WAYS = {"tasks": "shares", "eager": "eager"}
# Loads that are ways of switching.py. A stack taken while greenlets are being switched has no Python frames.
SWITCHING = ("greenlet", "gevent", "eventlet")
MOST_OFF = 2.0   # points, of a task's share
ABOUT = """
import json, platform, sys, sysconfig
build = ('t' if sysconfig.get_config_var('Py_GIL_DISABLED') else '') + ('d' if hasattr(sys, 'gettotalrefcount') else '')
print(json.dumps([platform.python_version(), build]))
"""
# What the interpreter says itself: the lines of every function of a file, by qualified name where there is one.
LINES = """
import dis, json, sys, types
with open(sys.argv[1]) as file:
    top = compile(file.read(), sys.argv[1], 'exec')
lines = {}
def walk(code):
    for name in {code.co_name, getattr(code, 'co_qualname', code.co_name)}:
        have = lines.setdefault(name, set())
        have.update(line for _, line in dis.findlinestarts(code) if line)
        have.add(code.co_firstlineno)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            walk(constant)
walk(top)
print(json.dumps({name: sorted(have) for name, have in lines.items()}))
"""


def row(cells):
    return "  ".join(str(cell).ljust(width) for cell, (_, width) in zip(cells, COLUMNS)).rstrip()


class Checks:
    def __init__(self, python, tree, victims, work, seconds):
        self.python, self.seconds = python, seconds
        self.tree, self.work = os.path.abspath(tree), os.path.abspath(work)
        self.loads = os.path.join(os.path.abspath(victims), "loads.py")
        self.tasks = os.path.join(os.path.abspath(victims), "task_shares.py")
        self.switching = os.path.join(os.path.abspath(victims), "switching.py")
        self.version, self.build = json.loads(self.said(ABOUT))
        self.lines = {file: json.loads(self.said(LINES, file)) for file in (self.loads, self.tasks, self.switching)}

    def said(self, source, *arguments):
        return subprocess.run([self.python, "-I", "-c", source, *arguments], stdout=subprocess.PIPE, check=True,
                              universal_newlines=True, timeout=60).stdout

    def file(self, load):
        return self.tasks if load in WAYS else self.switching if load in SWITCHING else self.loads

    def run(self, load, seconds, extra):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        environment.update(extra)
        way = [self.file(load), WAYS.get(load, load), str(seconds)]
        return subprocess.run([self.python, "-s", "-B", "-W", "ignore", *way], cwd=self.work,
                              env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
                              timeout=120 + 40 * seconds)

    def report(self, run):
        prof = os.path.join(self.tree, "prof")
        text = subprocess.run([prof, "report", run, "--format", "json"], stdout=subprocess.PIPE, check=True,
                              universal_newlines=True).stdout
        return json.loads(text)

    # Rows of the load's own file, and those among them whose line is none of their function's.
    def judge_lines(self, report, file):
        own = [line for line in report["lines"] if os.path.basename(line["file"] or "") == os.path.basename(file) and
               line["line"]]
        wrong = []
        lines = self.lines[file]
        for line in own:
            known = lines.get(line["function"]) or lines.get(line["function"].rsplit(".", 1)[-1])
            if known is None or line["line"] not in known:
                wrong.append((line["function"], line["line"]))
        return len(own), wrong

    # By how many points the share of a task is off at most.
    def judge_tasks(self, report, said):
        burnt = {name[len("us_"):]: int(us) / 1e6 for name, us in (line.split() for line in said.splitlines())}
        told = {row["name"]: row["cpu_s"] for row in report["tasks"] or []}
        all_burnt, all_told = sum(burnt.values()), sum(told.get(name, 0) for name in burnt) or 1
        return max(100 * abs(told.get(name, 0) / all_told - spent / all_burnt) for name, spent in burnt.items())

    # Whether all holds.
    def check(self, load):
        run = os.path.join(self.work, "run-" + load)
        bare = self.run(load, 0.02, {})
        if bare.returncode != ENDS_WITH and "no interpreters beside" in bare.stderr:
            return True
        if load in SWITCHING and "No module named" in bare.stderr:
            return True
        if load == "eager" and "eager_task_factory" in bare.stderr:
            return True
        preloaded = {"LD_PRELOAD": os.path.join(self.tree, "libprof.so"), "PROF_OUT": run, "PROF_CPU": TICKS}
        under = self.run(load, self.seconds, preloaded)
        printed = [run.stdout if load not in WAYS else [line.split()[0] for line in run.stdout.splitlines()]
                   for run in (bare, under)]
        same = (bare.returncode, printed[0], bare.stderr) == (under.returncode, printed[1], under.stderr)
        report = self.report(run)
        processes = [p for p in report["processes"] if p["python"]]
        samples = sum(p["samples"] for p in processes)
        frames = [p["python_frames"] for p in processes if p["samples"] > 1000]
        refused = sorted({f["reason"] for f in frames if not f["on"]})
        groups = sum(t["python_groups"] or 0 for p in processes for t in p["thread_list"])
        unplaced = report["loss"]["reasons"]["python_unplaced"]
        rejected = report["loss"]["reasons"]["python_rejected"]
        lines, wrong = self.judge_lines(report, self.file(load))
        off = self.judge_tasks(report, under.stdout) if load in WAYS and same else None
        lost = unplaced + (0 if load in SWITCHING else rejected)
        holds = (same and (off is None or off <= MOST_OFF) and not refused and not wrong and groups > 0 and
                 1000 * lost <= samples + 1000)
        print(row([self.version, self.build or "-", load, samples, groups, lines, len(wrong), rejected, unplaced,
                   "-" if off is None else "%.2f" % off, "as alone" if same else "status %d" % under.returncode]),
              flush=True)
        for reason in refused:
            print("%s, %s: native frames: %s" % (self.python, load, reason), file=sys.stderr)
        for function, line in wrong[:5]:
            print("%s, %s: %s has no line %d" % (self.python, load, function, line), file=sys.stderr)
        if not same:
            print("%s, %s: alone status %d, under libprof %d\n%s" % (self.python, load, bare.returncode,
                                                                    under.returncode, under.stderr[-2000:]),
                  file=sys.stderr)
        return holds


def main(arguments):
    if arguments == ["--head"]:
        print(row([name for name, _ in COLUMNS]))
        return 0
    python, tree, victims, work, seconds = arguments[:5]
    checks = Checks(python, tree, victims, work, float(seconds))
    return 0 if all([checks.check(load) for load in arguments[5:]]) else 1


sys.exit(main(sys.argv[1:]))
