"""How a program of answers/ is built and started, and the service that some of them ask."""
import os
import pathlib
import shutil
import subprocess
import sys

PYTHON = os.environ.get("PYTHON", "/usr/bin/python3")
COMPILERS = {".c": "cc", ".cpp": "c++"}
FLAGS = ["-O2", "-g", "-pthread"]
# Without its option node has no names for lines of JavaScript.
STARTERS = {".py": [PYTHON], ".sh": ["bash"], ".js": ["node", "--perf-basic-prof"]}
SUFFIXES = {*COMPILERS, *STARTERS, ".java"}


def flags(program):
    """Of a line "// build: FLAGS" among the first ones, where a program has it: how it is built may be its fault."""
    for line in program.read_text().splitlines()[:8]:
        if line.startswith("// build: "):
            return line.split()[2:]
    return FLAGS


def java(program, room):
    """The same for Java: blocked_orders.java has the class BlockedOrders. Its source lies where builds have it."""
    if not shutil.which("javac"):
        return None
    classes = room / f"{program.stem}.classes"
    (classes / "src").mkdir(parents=True)
    copy = shutil.copy(program, classes / "src")
    done = subprocess.run(["javac", "-g", "-d", classes, copy], stderr=sys.stderr)
    name = "".join(part.capitalize() for part in program.stem.split("_"))
    return ["java", "-cp", classes, name] if done.returncode == 0 else None


def command(program, room):
    """What runs the program; C, C++ and Java are built into the room first. None: what it needs is missing or fails."""
    if program.suffix == ".java":
        return java(program, room)
    compiler = COMPILERS.get(program.suffix)
    if not compiler:
        start = STARTERS[program.suffix]
        return [*start, program] if shutil.which(start[0]) else None
    built = room / program.stem
    try:
        done = subprocess.run([compiler, *flags(program), "-o", built, program, "-lm"], stderr=sys.stderr)
    except FileNotFoundError:
        return None
    return [built] if done.returncode == 0 else None


class Service:
    """The server of support/service.py, outside of what is measured; programs find it in $SERVICE as HOST:PORT."""

    def __enter__(self):
        path = pathlib.Path(__file__).parent / "answers/support/service.py"
        self.server = subprocess.Popen([PYTHON, path], stdout=subprocess.PIPE, text=True)
        os.environ["SERVICE"] = self.server.stdout.readline().strip()

    def __exit__(self, *_):
        self.server.kill()
        self.server.wait()
