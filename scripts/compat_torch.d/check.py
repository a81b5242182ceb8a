"""Runs programs of one PyTorch under libprof and compares what is reported with what torch.profiler counts in the same
process. Prints one row of scripts/compat_torch's table; what differs goes to stderr.

usage: check.py PYTHON PROF VICTIMS WORK      PYTHON has torch, VICTIMS: tests/victims/python, WORK: an empty folder
       check.py --head                        the head of the table
"""
import csv
import io
import json
import os
import signal
import subprocess
import sys

COLUMNS = [("torch", 18), ("Python", 8), ("ABI", 5), ("operators", 12), ("times", 10), ("memory", 7), ("beside", 7),
           ("workers", 8), ("scopes", 7), ("steps", 6)]
MODELS = ("mlp", "transformer")
TRIES = 5  # of what depends on the moment
MEMORY = """
import torch
from torch.profiler import record_function
with record_function('made'):
    a = torch.empty(1000)
    b = torch.zeros(500, dtype=torch.float64)
    del a
    with record_function('inside'):
        c = torch.empty(10000).fill_(1)
with record_function('freed'):
    del b, c
"""
ABOUT = """
import json, platform, torch
print(json.dumps([torch.__version__, platform.python_version(), torch.compiled_with_cxx11_abi()]))
"""


def row(cells):
    return "  ".join(str(cell).ljust(width) for cell, (_, width) in zip(cells, COLUMNS)).rstrip()


class Failed(Exception):
    pass


def need(condition, what):
    if not condition:
        raise Failed(what)


class Checks:
    def __init__(self, python, prof, victims, work):
        self.python, self.prof, self.victims, self.work = python, prof, victims, work
        self.runs = 0

    def bare(self, *arguments, status=0):
        done = subprocess.run([self.python, *arguments], cwd=self.work, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              universal_newlines=True, timeout=600)
        need(done.returncode == status, "%s alone: status %d\n%s" % (arguments, done.returncode, done.stderr[-2000:]))
        return done

    def under(self, options, *arguments, status=0):
        self.runs += 1
        run = os.path.join(self.work, "run%d" % self.runs)
        command = [self.prof, "run", "-o", run, *options, "--", self.python, *arguments]
        done = subprocess.run(command, cwd=self.work, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              universal_newlines=True, timeout=900)
        need(done.returncode == status, "%s: status %d\n%s" % (command, done.returncode, done.stderr[-2000:]))
        return run, done.stdout

    def view(self, run, view, *options):
        command = [self.prof, "report", run, "--view", view, "--format", "csv", "--limit", "0", *options]
        text = subprocess.run(command, stdout=subprocess.PIPE, check=True, universal_newlines=True, timeout=600).stdout
        return list(csv.DictReader(io.StringIO(text)))

    def victim(self, name):
        return os.path.join(self.victims, name)

    def ours(self, run):
        """What the report has of operators, by name and shapes."""
        out = {}
        for at in self.view(run, "ops", "--group-by", "shape"):
            out[at["name"], at["shapes"] or "[]"] = {
                "calls": int(at["calls"]), "self_us": int(at["self_cpu_ns"]) / 1e3, "total_us": int(at["cpu_ns"]) / 1e3,
                "bytes": int(at["mem_bytes"] or 0), "self_bytes": int(at["self_mem_bytes"] or 0)}
        return out

    def torchs(self, text):
        """The same of torch.profiler, as tests/victims/python/torch_ops.py prints it."""
        out = {}
        for at in json.loads(text.strip().splitlines()[-1]):
            if at["name"] == "[memory]":
                continue
            figures = out.setdefault((at["name"], at["shapes"] or "[]"), dict.fromkeys(at, 0))
            for key in ("calls", "self_us", "total_us", "bytes", "self_bytes"):
                figures[key] += at[key]
        return out

    def counted(self, model):
        """The operators of three steps of training: what torch.profiler says of them and what we do."""
        # Without steps: the first one that is recorded takes room in the log, which torch.profiler's time has in it.
        run, out = self.under(["--ops", "shapes", "--step", "off", "--capture-range", "nvtx:window@record_function"],
                              self.victim("torch_ops.py"), model, "3", "shapes")
        want, got = self.torchs(out), self.ours(run)
        if not got:
            raise Failed("no operators in the report: %s" % self.notes(run))
        got.pop(("window", "[]"), None)
        return want, got

    def farthest(self, want, got):
        """Of the largest ten the one whose total times are farthest apart, as a part of torch.profiler's."""
        farthest = 0.0, ""
        for key in sorted(want, key=lambda key: -want[key]["total_us"])[:10]:
            mine, other = got[key]["total_us"], want[key]["total_us"]
            off = max(0.0, abs(mine - other) - 2 * want[key]["calls"]) / other
            farthest = max(farthest, (off, "%s: torch.profiler %.0f us, here %.0f us" % (key, other, mine)))
        return farthest

    # Each check returns its cell of the table, or raises.

    def operators(self):
        equal = compared = 0
        wrong = []
        self.pairs = {}
        for model in MODELS:
            want, got = self.pairs[model] = self.counted(model)
            for key in sorted(want.keys() | got.keys()):
                compared += 1
                a, b = want.get(key, {}).get("calls", 0), got.get(key, {}).get("calls", 0)
                # The profiler makes a tensor itself when it starts; and where one overload calls another, it takes
                # them for one or for two as its clock lets it.
                if a == b or (key[0] == "aten::empty" and a <= b <= a + 2 + a // 50) or (
                        key[0].startswith("aten::div") and b <= a <= 2 * b):
                    equal += 1
                else:
                    wrong.append("%s %s: torch.profiler %d, here %d" % (*key, a, b))
        need(compared > 80, "only %d operators" % compared)
        need(not wrong, "%s: %d of %d differ:\n  %s" % (model, len(wrong), compared, "\n  ".join(wrong[:20])))
        return "%d of %d" % (equal, compared)

    def times(self):
        """The largest ten: total times within a tenth of torch.profiler's, but for what its clock cuts off."""
        worst = 0.0
        for model in MODELS:
            # A busy machine may take the processor away between our look at the clock and torch.profiler's.
            for _ in range(TRIES):
                off, what = self.farthest(*self.pairs[model])
                if off <= 0.1:
                    break
                self.pairs[model] = self.counted(model)
            need(off <= 0.1, "%s %s" % (model, what))
            worst = max(worst, off)
        return "%.1f %%" % (100 * worst)

    def memory(self):
        run, _ = self.under(["--ops", "memory"], "-c", MEMORY)
        got = self.ours(run)
        for name, what, bytes_ in (("made", "bytes", 44000), ("made", "self_bytes", -4000), ("inside", "bytes", 40000),
                                   ("freed", "bytes", -44000), ("aten::empty", "self_bytes", 48000)):
            have = sum(figures[what] for key, figures in got.items() if key[0] == name)
            need(abs(have - bytes_) < 1000, "%s of %s: %d bytes instead of %d" % (what, name, have, bytes_))
        return "ok"

    def beside(self):
        """torch.profiler counts the same beside the agent as without it."""
        arguments = self.victim("torch_ops.py"), "mlp", "2", "shapes"
        alone = self.torchs(self.bare(*arguments).stdout)
        with_us = self.torchs(self.under(["--ops", "shapes,memory"], *arguments)[1])
        need(alone.keys() == with_us.keys(), "other operators: %s" % (alone.keys() ^ with_us.keys()))
        for key, figures in alone.items():
            need(key[0].startswith("aten::div") or figures["calls"] == with_us[key]["calls"],
                 "%s: %d calls alone, %d beside" % (key, figures["calls"], with_us[key]["calls"]))
            need(with_us[key]["bytes"] == 0, "%s: memory that nobody asked for" % (key,))
        return "ok"

    def workers(self):
        run, _ = self.under([], self.victim("torch_workers.py"), status=-signal.SIGKILL)
        ops = self.view(run, "ops")
        for name, calls in (("aten::erf", 12), ("aten::tanh", 6), ("aten::cosh", 150), ("aten::sinh", 3),
                            ("scripted", 1), ("aten::mm", 5), ("attempt#*", 5), ("loading", 1)):
            have = sum(int(at["calls"]) for at in ops if at["name"] == name)
            need(have == calls, "%s: %d calls instead of %d" % (name, have, calls))
        self.training = run
        return "ok"

    def scopes(self):
        self.training, _ = self.under([], self.victim("torch_ops.py"), "mlp", "20")
        ranges = {at["name"]: int(at["count"]) for at in self.view(self.training, "ranges")}
        need(ranges.get("Optimizer.step#SGD.step") == 21, "ranges: %s" % ranges)
        return "ok"

    def steps(self):
        rows = self.view(self.training, "steps")
        need(rows, "no steps in the report")
        count = sum(int(at["steps"]) for at in rows)
        need(count in (20, 21), "%d steps instead of 20" % count)
        return "ok"

    def notes(self, run):
        document = subprocess.run([self.prof, "report", run, "--format", "json"], stdout=subprocess.PIPE, check=True,
                                  universal_newlines=True, timeout=600).stdout
        found = []
        for process in json.loads(document).get("processes", []):
            found += (process.get("python") or {}).get("notes", [])
        return "; ".join(found) or "no note says why"


def main():
    if sys.argv[1:] == ["--head"]:
        print(row([name for name, _ in COLUMNS]))
        return 0
    python, prof, victims, work = sys.argv[1:]
    checks = Checks(python, prof, victims, work)
    about = json.loads(checks.bare("-c", ABOUT).stdout.splitlines()[-1])
    cells = [about[0], about[1], "c++11" if about[2] else "old"]
    failed = False
    for name, _ in COLUMNS[3:]:
        try:
            cells.append(getattr(checks, name)())
        except (Failed, KeyError, AttributeError, subprocess.SubprocessError) as e:
            failed = True
            cells.append("FAILED")
            print("torch %s, %s: %s: %s" % (about[0], name, type(e).__name__, e), file=sys.stderr)
    print(row(cells), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
