"""What mending a planted fault saves, beside what the findings say it could save at most."""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import typing

from answers_build import command
from answers_judge import planted

SUPPORT = pathlib.Path(__file__).parent / "answers/support"
ROUNDS = int(os.environ.get("ROUNDS", "3"))


def mended(program, room):
    """The program without its fault, in the room; None where nobody wrote how."""
    patch = program.parent / "mended" / (program.name + ".diff")
    if not patch.exists():
        return None
    room.mkdir()
    copy = room / program.name
    subprocess.run(["patch", "-s", "-o", copy, program, patch], check=True)
    os.symlink(SUPPORT, room / "support")
    return copy


class Took(typing.NamedTuple):
    """What a run took, with its children: seconds, and the most resident memory of one process in MB."""

    wall: float
    cpu: float
    memory: float


# A process of its own that is small: at an exec the kernel takes over how much memory the process had before, which is
# that of whoever forked it.
MEASURE = """
import os, resource, subprocess, sys, time
began = time.monotonic()
status = subprocess.call(sys.argv[2:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
wall, used = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
with open(sys.argv[1], "w") as out:
    print(status, wall, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / 1e6, file=out)
"""


def took(start, room):
    """Of a run in a folder of its own, since what one leaves another may find; None: it failed."""
    with tempfile.TemporaryDirectory(dir=room) as place, tempfile.NamedTemporaryFile("r") as out:
        subprocess.run([sys.executable, "-S", "-c", MEASURE, out.name, *start], cwd=place, check=True)
        status, *figures = map(float, out.read().split())
    return Took(*figures) if status == 0 else None


class Claim(typing.NamedTuple):
    """What a finding says could be saved, of what (a member of Took), and how far that may be off."""

    rule: str
    of: str
    amount: float
    error: float


def claimed(prof, program, start, room):
    """The largest saving of a finding of the fault's rules; None: there is none."""
    with tempfile.TemporaryDirectory(dir=room) as place:
        run = pathlib.Path(place, "run")
        subprocess.run([prof, "run", "-q", "-o", run, "--", *start], cwd=place, capture_output=True)
        report = json.loads(subprocess.check_output([prof, "report", run, "--format", "json"]))
    _, rules = planted(program)
    found = [f for f in report["findings"]["found"] if f["rule"] in rules]
    timed = max((f for f in found if f["saves_s"]), key=lambda f: f["saves_s"], default=None)
    if timed:
        of = "cpu" if timed["of_processors"] else "wall"
        return Claim(timed["rule"], of, timed["saves_s"], timed["saves_error_s"] or 0)
    sized = max((f for f in found if f["saves_bytes"]), key=lambda f: f["saves_bytes"], default=None)
    if sized:
        return Claim(sized["rule"], "memory", sized["saves_bytes"] / 1e6, (sized["saves_error_bytes"] or 0) / 1e6)
    return None


def spread(values):
    """As text, the median and how far the values reach."""
    return f"{statistics.median(values):6.2f} ({min(values):.2f} to {max(values):.2f})"


class Rounds:
    """Of one program: what is claimed, and what mending saved, each some times, in turns, as the machine varies."""

    def __init__(self, prof, program, starts, rooms):
        self.rule, self.claims, self.errors, self.saved = None, [], [], []
        for _ in range(ROUNDS):
            faulty, sound = took(starts[0], rooms[0]), took(starts[1], rooms[1])
            says = claimed(prof, program, starts[0], rooms[0])
            if says is None or faulty is None or sound is None:
                continue
            self.rule = says.rule + {"cpu": " (CPU)", "memory": " (MB)", "wall": ""}[says.of]
            self.claims.append(says.amount)
            self.errors.append(says.error)
            self.saved.append(getattr(faulty, says.of) - getattr(sound, says.of))

    def verdict(self):
        """Whether the claim is more than what was saved, beyond all that varies and a tenth."""
        least = min(claim - error for claim, error in zip(self.claims, self.errors))
        return "more" if least > 1.1 * max(self.saved) else ""


def table_of_savings(prof, programs, room):
    """Claims and what mending saved, bare, in seconds or MB."""
    print(f'{"program":24} {"rule":24} {"claimed at most":24} {"saved":24}')
    for program in programs:
        place = pathlib.Path(room, program.name + ".sound")
        copy = mended(program, place)
        if copy is None:
            continue
        faulty_room = pathlib.Path(room, program.name + ".faulty")
        faulty_room.mkdir()
        starts = command(program, faulty_room), command(copy, place)
        if not all(starts):
            continue
        rounds = Rounds(prof, program, starts, (faulty_room, place))
        if rounds.rule:
            claims, saved = spread(rounds.claims), spread(rounds.saved)
            print(f"{program.name:24} {rounds.rule:24} {claims:24} {saved:24} {rounds.verdict()}".rstrip(), flush=True)
