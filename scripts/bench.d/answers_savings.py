"""What mending a planted fault saves, beside what the findings say it could save at most."""
import json
import os
import pathlib
import resource
import statistics
import subprocess
import tempfile
import time

from answers_build import command
from answers_judge import planted

SUPPORT = pathlib.Path(__file__).parent / "answers/support"
ROUNDS = 3


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


def seconds(start, room):
    """Wall time of a run in a folder of its own, since what one leaves another may find; None: it failed."""
    with tempfile.TemporaryDirectory(dir=room) as place:
        began = time.monotonic()
        done = subprocess.run(start, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return time.monotonic() - began if done.returncode == 0 else None


def claimed(prof, program, start, room):
    """The largest saving of a finding of the fault's rules, as its rule, seconds and their error; None: there is none."""
    with tempfile.TemporaryDirectory(dir=room) as place:
        run = pathlib.Path(place, "run")
        subprocess.run([prof, "run", "-q", "-o", run, "--", *start], cwd=place, capture_output=True)
        report = json.loads(subprocess.check_output([prof, "report", run, "--format", "json"]))
    _, rules = planted(program)
    found = [f for f in report["findings"]["found"] if f["rule"] in rules and f["saves_s"]]
    best = max(found, key=lambda f: f["saves_s"], default=None)
    if best is None:
        return None
    rule = best["rule"] + (" (CPU)" if best.get("of_processors") else "")
    return rule, best["saves_s"], best["saves_error_s"] or 0


def spread(values):
    """As text, the median and how far the values reach."""
    return f"{statistics.median(values):6.2f} ({min(values):.2f} to {max(values):.2f})"


class Rounds:
    """Of one program: what is claimed, and what mending saved, each some times, in turns, as the machine varies."""

    def __init__(self, prof, program, starts, rooms):
        self.rule, self.claims, self.errors, self.saved = None, [], [], []
        for _ in range(ROUNDS):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            faulty = seconds(starts[0], rooms[0])
            between = resource.getrusage(resource.RUSAGE_CHILDREN)
            sound = seconds(starts[1], rooms[1])
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            says = claimed(prof, program, starts[0], rooms[0])
            if says is None or faulty is None or sound is None:
                continue
            self.rule = says[0]
            self.claims.append(says[1])
            self.errors.append(says[2])
            if self.rule.endswith("(CPU)"):
                faulty, sound = cpu(between) - cpu(before), cpu(after) - cpu(between)
            self.saved.append(faulty - sound)

    def verdict(self):
        """Whether the claim is more than what was saved, beyond all that varies and a tenth."""
        least = min(claim - error for claim, error in zip(self.claims, self.errors))
        return "more" if least > 1.1 * max(self.saved) else ""


def cpu(usage):
    return usage.ru_utime + usage.ru_stime


def table_of_savings(prof, programs, room):
    """Claims and what mending saved, bare, of programs about whose time a finding speaks."""
    print(f'{"program":24} {"rule":24} {"claimed at most, s":24} {"saved, s":24}')
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
