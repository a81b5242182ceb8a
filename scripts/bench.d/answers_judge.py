"""What a program of answers/ has planted, what it measured itself, and the points for what is said of it."""
import pathlib
import re
import typing

SAMPLES_S = 0.2
COMMAND = re.compile(r"(?:^|[|(;]|xargs -n 1)\s*([a-z]\w+)(?![\w=.(])")
MARK = re.compile(r"(?:#|//|/\*) FAULT ([a-z\- ]+)")


class Truth(typing.NamedTuple):
    """What the fault took: wall time and, if printed, CPU time, or memory."""

    wall_s: float = 0.0
    cpu_s: float = 0.0
    size: int = 0


def planted(program):
    """The lines with the fault, and the rules that may name it."""
    lines, rules = [], set()
    for number, line in enumerate(program.read_text().splitlines(), 1):
        if mark := MARK.search(line):
            lines.append(number)
            rules.update(mark[1].split())
    return lines, rules


def truth_of(output):
    """From the last line "truth WALL [CPU]", "truth BYTES bytes" or "truth N MB"."""
    words = [line.split()[1:] for line in output.splitlines() if line.startswith("truth ")]
    if not words:
        return Truth()
    said = words[-1]
    if said[-1] == "bytes":
        return Truth(size=int(said[0]))
    if said[-1] == "MB":
        return Truth(size=int(float(said[0]) * 1e6))
    return Truth(float(said[0]), float(said[-1]))


def near(said, truth, slack):
    return said is not None and abs(said - truth) <= max(0.1 * truth, slack)


def amount_is_right(finding, truth):
    if truth.size:
        return near(finding["saves_bytes"], truth.size, finding["saves_error_bytes"] or 0)
    return near(finding["saves_s"], truth.wall_s, max(SAMPLES_S, finding["saves_error_s"] or 0))


def amounts(program, report, truth):
    """A row for each finding of a planted rule: what it claims, give or take, and the truth."""
    _, rules = planted(program)
    kind, amount = ("bytes", truth.size) if truth.size else ("s", truth.wall_s)
    for finding in report["findings"]["found"]:
        if finding["rule"] in rules:
            claim, error = finding["saves_" + kind], finding["saves_error_" + kind]
            yield program.name, finding["rule"], claim, error, amount, kind


def figures(row, truth):
    """The amounts that the table of own lines has for one of them."""
    if truth.size:
        return [row["peak_bytes"] or 0, row["live_bytes"] or 0]
    return [row["cpu_s"] + (row["blocked_s"] or 0)]


def said_of(finding):
    if finding["saves_bytes"] is not None and not finding["saves_s"]:
        amount = f'{finding["saves_bytes"]} bytes'
    else:
        amount = f'{finding["saves_s"]:.2f} s'
    places = [f'{pathlib.Path(p["file"]).name}:{p["line"]}' for p in finding["places"][:2] if p["file"]]
    return " ".join([finding["rule"], amount, *places])


def own_rows(report, truth):
    rows = [row for row in report["own"] or [] if row["file"]]
    return sorted(rows, key=lambda row: -max(figures(row, truth)))


def commands_of(program, lines):
    """The commands of a shell script's lines: where the shell does not say them, a finding names one by these."""
    text = program.read_text().splitlines()
    return {word for line in lines for word in COMMAND.findall(text[line - 1])}


def words_of(finding):
    places = " ".join(place["function"] or "" for place in finding["places"])
    return set(re.findall(r"[\w.+-]+", finding["seen"] + " " + places))


def judge(program, report, truth):
    """Points, and why not all."""
    found = report["findings"]["found"]
    lines, rules = planted(program)
    said = "; ".join(said_of(f) for f in found) or "nothing"
    if not lines:
        return (2, "") if not found else (0, "found " + said)

    def there(place):
        return place["file"] and pathlib.Path(place["file"]).name == program.name and place["line"] in lines

    def names_line(finding):
        if program.suffix == ".sh" and not any(place["line"] for place in finding["places"]):
            return any(word in words_of(finding) for word in commands)
        callers = finding["places"][0]["callers"] if finding["places"] else []
        return any(there(p) for p in finding["places"][:2] + callers)

    commands = commands_of(program, lines)
    named = [f for f in found if f["rule"] in rules]
    if any(names_line(f) and amount_is_right(f, truth) for f in named):
        return 2, ""
    rows = own_rows(report, truth)[:2]
    row_truth, slack = (truth.size, 0) if truth.size else (truth.cpu_s, SAMPLES_S)
    if "none" in rules and rows and there(rows[0]) and len(named) == len(found):
        if any(near(figure, row_truth, slack) for figure in figures(rows[0], truth)):
            return 2, ""
    first = "".join(f', first line {row["line"]} {max(figures(row, truth)):.2f}' for row in rows[:1])
    amount = f"{truth.size} bytes" if truth.size else f"{truth.wall_s:.2f} s"
    if truth.cpu_s != truth.wall_s:
        amount += f" (CPU {truth.cpu_s:.2f} s)"
    why = f"truth {amount} at {', '.join(map(str, lines))}, found {said}{first}"
    return int(bool(named) or any(map(names_line, found)) or any(map(there, rows))), why


def judge_mended(program, report):
    """Points of its twin, and what is still said of the fault."""
    _, rules = planted(program)
    still = [said_of(finding) for finding in report["findings"]["found"] if finding["rule"] in rules]
    return (0, "still " + "; ".join(still)) if still else (2, "")
