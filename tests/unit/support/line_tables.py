"""Prints the line tables of code objects of the standard library, and the lines that the interpreter itself sees.

For each code object a line `code FIRST_LINE HEX_OF_TABLE` and, for each run of its instructions,
`run BEGIN END LINE` with byte offsets; LINE is 0 where the interpreter knows none.
"""

import dis
import os
import sys
import types

MOST_FILES = 30


def runs(code):
    if hasattr(code, "co_lines"):
        for begin, end, line in code.co_lines():
            if begin < end:
                yield begin, end, line or 0
        return
    starts = list(dis.findlinestarts(code))
    ends = [begin for begin, _ in starts[1:]] + [len(code.co_code)]
    for (begin, line), end in zip(starts, ends):
        yield begin, end, line


def show(code):
    table = code.co_linetable if sys.version_info >= (3, 10) else code.co_lnotab
    print("code", code.co_firstlineno, table.hex() or "-")
    for begin, end, line in runs(code):
        print("run", begin, end, line)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            show(constant)


def main():
    library = os.path.dirname(os.__file__)
    files = [os.path.join(library, name) for name in os.listdir(library) if name.endswith(".py")]
    files.sort(key=lambda path: (-os.path.getsize(path), path))
    for path in files[:MOST_FILES]:
        with open(path, "rb") as source:
            show(compile(source.read(), path, "exec"))
    # A call over several lines, and gaps that one entry of the table cannot hold.
    show(compile("\n" * 700 + "f(\n" + "\n" * 300 + "1,\n2)\n" + "\n" * 200 + "x = 1\n", "gaps", "exec"))


main()
