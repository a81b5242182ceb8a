"""What it takes to read a finished run: prof, and the readers of other profilers that are installed, on recordings of the
same programs. Prints wall and CPU time and resident memory, each the median of some rounds in turns.

usage: readers.py PROF LIBPROF.SO CALL_PATHS [--rounds N] [--paths N,N...] [--python PYTHON]

CALL_PATHS is the compiled call_paths.c. PYTHON (default /usr/bin/python3) runs the demo; memray is tried if it is
installed there. heaptrack, perf and Go's pprof are tried if they are in PATH. pprof reads what `prof export` made.
"""
import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
DEMO = HERE.parent / "demo-train.py"
LIMIT_S = 900  # heaptrack takes many minutes for what has millions of call paths


class Room:
    """A folder for the recordings, and what is common to all commands in it."""

    def __init__(self, folder, typed):
        self.folder = pathlib.Path(folder)
        self.prof, self.agent = map(os.path.abspath, (typed.prof, typed.agent))
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("PROF_") and k != "LD_PRELOAD"}
        self.environment["XDG_CACHE_HOME"] = str(self.folder / "cache")

    def run(self, *command, **settings):
        done = subprocess.run(list(map(str, command)), cwd=self.folder, env={**self.environment, **settings},
                              capture_output=True, timeout=LIMIT_S)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.decode(errors="replace")[-300:] or f"status {done.returncode}")

    def size_mb(self, name):
        path = self.folder / name
        files = path.rglob("*") if path.is_dir() else [path]
        return sum(f.stat().st_size for f in files if f.is_file()) / 1e6


def recordings(room, typed):
    """Yields (program, name of the recording, [(reader, command)...])."""
    for paths in typed.paths:
        yield from allocations(room, f"{paths:,} call paths", f"paths-{paths}", [os.path.abspath(typed.call_paths), paths])
    demo = [typed.python, DEMO, "--steps", "40", "--workers", "0"]
    yield from allocations(room, "the demo, all allocations", "demo", demo)
    yield from memray(room, typed.python, demo)
    yield from samples(room, demo)


def attempt(name, action):
    try:
        return action() or True
    except (RuntimeError, subprocess.TimeoutExpired) as fault:
        print(f"{name}: not recorded: {fault}", file=sys.stderr)
        return False


def allocations(room, program, name, command):
    room.run(*command, LD_PRELOAD=room.agent, PROF_OUT=name, PROF_HEAP="exact", PROF_QUIET="on")
    views = [(f"prof report --view {view}", [room.prof, "report", name, "--view", view])
             for view in ("summary", "heap", "functions", "tree", "callers")]
    yield program, name, views
    room.run(room.prof, "export", "-f", "pprof", "-m", "allocated", "-o", f"{name}.pb.gz", name)
    if shutil.which("go"):
        yield program, f"{name}.pb.gz", [("go tool pprof -top", ["go", "tool", "pprof", "-top", f"{name}.pb.gz"])]
    if shutil.which("heaptrack") and attempt("heaptrack", lambda: room.run("heaptrack", "-o", f"{name}.heaptrack", *command)):
        file = next(room.folder.glob(f"{name}.heaptrack*")).name
        yield program, file, [("heaptrack_print", ["heaptrack_print", file])]


def memray(room, python, demo):
    if not attempt("memray", lambda: room.run(python, "-m", "memray", "run", "--native", "-q", "-f", "-o", "memray.bin", *demo[1:])):
        return
    pages = [(f"memray {report}", [python, "-m", "memray", report, "-f", "-o", f"{report}.html", "memray.bin"])
             for report in ("table", "flamegraph")]
    yield "the demo, all allocations", "memray.bin", [
        ("memray stats", [python, "-m", "memray", "stats", "memray.bin"]), *pages]


def samples(room, demo):
    room.run(*demo, LD_PRELOAD=room.agent, PROF_OUT="sampled", PROF_QUIET="on")
    yield "the demo, by default", "sampled", [("prof report", [room.prof, "report", "sampled"]),
                                              ("prof report --no-cache", [room.prof, "report", "--no-cache", "sampled"])]
    if shutil.which("perf") and attempt("perf", lambda: room.run(
            "perf", "record", "-q", "-F", "99", "--call-graph", "fp", "-o", "perf.data", *demo)):
        yield "the demo, by default", "perf.data", [("perf report --stdio", ["perf", "report", "--stdio", "-i", "perf.data"])]


def measured(room, command):
    done = subprocess.run([sys.executable, HERE / "resources.py", *map(str, command)], cwd=room.folder,
                          env=room.environment, capture_output=True, text=True, timeout=LIMIT_S)
    if done.returncode != 0:
        raise RuntimeError(done.stderr[-300:])
    return {line.split()[0]: float(line.split()[1]) for line in done.stdout.splitlines()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prof")
    parser.add_argument("agent")
    parser.add_argument("call_paths")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--paths", default="100000,1000000,4000000", type=lambda text: [int(n) for n in text.split(",")])
    parser.add_argument("--python", default="/usr/bin/python3")
    typed = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="prof-readers.") as folder:
        room = Room(folder, typed)
        print(f"{'recording':28} {'MB':>8}  {'reader':30} {'wall, s':>8} {'CPU, s':>8} {'MiB':>8}")
        for program, name, readers in recordings(room, typed):
            tried = {}
            for _ in range(typed.rounds):
                for reader, command in readers:
                    try:
                        tried.setdefault(reader, []).append(measured(room, command))
                    except (RuntimeError, subprocess.TimeoutExpired) as fault:
                        print(f"{reader}: {fault}", file=sys.stderr)
            for reader, runs in tried.items():
                middle = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
                print(f"{program:28} {room.size_mb(name):8.1f}  {reader:30} {middle['wall'] / 1000:8.2f} "
                      f"{middle['CPU'] / 1000:8.2f} {middle['resident']:8.0f}", flush=True)


if __name__ == "__main__":
    main()
