"""What mending a planted fault saves, beside what the findings say it could save at most."""
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

from answers_build import command
from answers_judge import planted

HERE = pathlib.Path(__file__).parent / "answers"
ROUNDS = 3


def mended(program, room):
    """The program without its fault, in the room; None where nobody wrote how."""
    patch = HERE / "mended" / (program.name + ".diff")
    if not patch.exists():
        return None
    room.mkdir()
    copy = room / program.name
    subprocess.run(["patch", "-s", "-o", copy, program, patch], check=True)
    os.symlink(HERE / "support", room / "support")
    return copy


def seconds(start, room):
    """Wall time of a run in a folder of its own, since what one leaves another may find; None: it failed."""
    with tempfile.TemporaryDirectory(dir=room) as place:
        began = time.monotonic()
        done = subprocess.run(start, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return time.monotonic() - began if done.returncode == 0 else None


def claimed(prof, program, start, room):
    """The largest saving of a finding of the fault's rules, as its rule and seconds."""
    run = room.with_name(room.name + ".claim")
    subprocess.run([prof, "run", "-q", "-o", run, "--", *start], cwd=room, capture_output=True)
    report = json.loads(subprocess.check_output([prof, "report", run, "--format", "json"]))
    _, rules = planted(program)
    found = [f for f in report["findings"]["found"] if f["rule"] in rules and f["saves_s"]]
    best = max(found, key=lambda f: f["saves_s"], default=None)
    return (best["rule"], best["saves_s"]) if best else None


def table_of_savings(prof, programs, room):
    """Median of the differences of paired runs, bare, for programs about whose time a finding speaks."""
    print(f'{"program":24} {"rule":22} {"claimed":>8} {"saved":>8} {"ratio":>6}')
    for program in programs:
        place = pathlib.Path(room, program.name + ".sound")
        copy = mended(program, place)
        if copy is None:
            continue
        faulty_room = pathlib.Path(room, program.name + ".faulty")
        faulty_room.mkdir()
        starts = command(program, faulty_room), command(copy, place)
        says = claimed(prof, program, starts[0], faulty_room) if all(starts) else None
        if says is None:
            continue
        pairs = [(seconds(starts[0], faulty_room), seconds(starts[1], place)) for _ in range(ROUNDS)]
        if any(time is None for pair in pairs for time in pair):
            print(f"{program.name:24} cannot be run")
            continue
        saved = statistics.median(a - b for a, b in pairs)
        ratio = f"{says[1] / saved:6.2f}" if saved > 0 else "     -"
        print(f"{program.name:24} {says[0]:22} {says[1]:8.2f} {saved:8.2f} {ratio}", flush=True)
