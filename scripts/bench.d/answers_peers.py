"""What other profilers of Python say about the line with the fault.

2 points: it is their first by time; 1 point: among their first three. cProfile knows functions only: the one with the
line counts, or what that one calls. line_profiler follows the functions of the program, not what its modules do.
"""
import collections
import json
import pathlib
import pstats
import re
import shutil
import subprocess

from answers_build import PYTHON
from answers_judge import planted


def run(room, *command):
    return subprocess.run(command, cwd=room, capture_output=True, text=True, timeout=300).returncode == 0


def ranked(times):
    return [line for line, _ in sorted(times.items(), key=lambda item: -item[1])]


def enclosing(program, line):
    """Names of the functions around the line, innermost first."""
    names, indent = [], 1000
    for text in reversed(program.read_text().splitlines()[:line]):
        depth = len(text) - len(text.lstrip())
        if text.strip() and depth < indent:
            if match := re.match(r"(?:async )?def (\w+)", text.strip()):
                names.append(match[1])
            indent = depth
    return names or ["<module>"]


def cprofile(program, room):
    out = pathlib.Path(room, "cprofile.out")
    if not run(room, PYTHON, "-m", "cProfile", "-o", out, program):
        return None
    stats = pstats.Stats(str(out)).stats
    rows = sorted(stats.items(), key=lambda item: -item[1][2])[:3]
    holders = {enclosing(program, line)[0] for line in planted(program)[0]}

    def holds(key):
        return pathlib.Path(key[0]).name == program.name and key[2] in holders

    return [planted(program)[0][0] if holds(key) or any(map(holds, row[4])) else 0 for key, row in rows]


def py_spy(program, room):
    out = pathlib.Path(room, "py-spy.raw")
    if not run(room, tool("py-spy"), "record", "-f", "raw", "-s", "-o", out, "--", PYTHON, program):
        return None
    times = collections.Counter()
    for stack in out.read_text().splitlines():
        frames, count = stack.rsplit(" ", 1)
        own = re.findall(rf"\((?:[^;()]*/)?{re.escape(program.name)}:(\d+)\)", frames)
        if own:
            times[int(own[-1])] += int(count)
    return ranked(times)


def scalene(program, room):
    out = pathlib.Path(room, "scalene.json")
    if not run(room, tool("scalene"), "run", "--outfile", out, "--cpu-only", program):
        return None
    times = {}
    for name, file in json.loads(out.read_text()).get("files", {}).items():
        if pathlib.Path(name).name == program.name:
            for line in file["lines"]:
                parts = ("n_cpu_percent_python", "n_cpu_percent_c", "n_sys_percent")
                times[line["lineno"]] = sum(line[part] for part in parts)
    return ranked({line: time for line, time in times.items() if time})


def line_profiler(program, room):
    out = pathlib.Path(room, "lines.lprof")
    if not run(room, tool("kernprof"), "-l", "-p", program, "-o", out, program):
        return None
    read = "import sys, json, line_profiler as l; s = l.load_stats(sys.argv[1]);" \
           "print(json.dumps([[k[0], t] for k, ts in s.timings.items() for t in ts]))"
    said = json.loads(subprocess.check_output([PYTHON, "-c", read, out], text=True))
    return ranked({row[0]: row[2] for name, row in said if pathlib.Path(name).name == program.name})


PEERS = {"cProfile": cprofile, "py-spy": py_spy, "scalene": scalene, "line_profiler": line_profiler}
TOOLS = {"py-spy": "py-spy", "scalene": "scalene", "line_profiler": "kernprof"}


def tool(name):
    beside = pathlib.Path(PYTHON).parent / name
    return str(beside) if beside.exists() else shutil.which(name)


def table_of_peers(programs, room):
    peers = {name: peer for name, peer in PEERS.items() if name not in TOOLS or tool(TOOLS[name])}
    print("\n" + " " * 26, *peers)
    sums = collections.Counter()
    most = 0
    for program in programs:
        lines = planted(program)[0]
        if program.suffix != ".py" or not lines:
            continue
        points = {}
        for name, peer in peers.items():
            try:
                said = peer(program, room) or []
            except (subprocess.SubprocessError, OSError, ValueError):
                said = []
            points[name] = 2 if said and said[0] in lines else int(any(line in lines for line in said[:3]))
            sums[name] += points[name]
        most += 2
        print(f"{program.name:26}", *(f"{points[name]:>{len(name)}}" for name in peers), flush=True)
    print(f"{f'of {most} points':26}", *(f"{sums[name]:>{len(name)}}" for name in peers))
