"""How files are compiled, without the precompiled headers, and whether one compiles: for `alone` and `headers`."""
import json
import pathlib
import shlex
import subprocess

root = pathlib.Path(__file__).resolve().parents[2]
# The headers of each part are compiled like a file of this target.
targets = {"agent": "prof_agent_core", "interpose": "prof_agent", "report": "prof_report", "tests": "test_support"}


def entries(build):
    """(source file, command, folder to run it in) for each that `build` compiles; the commands only check syntax."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = pathlib.Path(entry["file"])
        if "cmake_pch" in file.name or "tests/headers" in entry["command"]:
            continue
        words = shlex.split(entry["command"])
        # Clang's way of naming them, a word at a time.
        while "-include-pch" in words:
            at = words.index("-include-pch") - 1
            del words[at : at + 8]
        kept, skip = [], 0
        for i, word in enumerate(words):
            if skip:
                skip -= 1
            elif word in ("-o", "-c", "-MT", "-MF") or (word == "-include" and "cmake_pch" in words[i + 1]):
                skip = 1
            elif word not in ("-MD", "-Winvalid-pch", "-flto=auto", "-ffat-lto-objects"):
                kept.append(word)
        yield file, kept + ["-fsyntax-only"], entry["directory"], entry["command"]


def header_commands(build):
    """(command, folder) by part: how its headers are compiled."""
    out = {}
    for _, command, directory, whole in entries(build):
        for part, target in targets.items():
            if f"/{target}.dir/" in whole and not whole.endswith(".S"):
                out.setdefault(part, (command, directory))
    return out


def complaints(command, directory, source):
    """What the compiler finds wrong with `source`, some lines; empty: nothing."""
    done = subprocess.run([*command, str(source)], cwd=directory, capture_output=True, text=True)
    lines = [line for line in done.stderr.splitlines() if "error" in line or "warning" in line]
    return lines[:4] or ([f"exit status {done.returncode}"] if done.returncode else [])
