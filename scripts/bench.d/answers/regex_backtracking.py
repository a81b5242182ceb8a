"""Checks lines of a log with a pattern that backtracks."""
import re
import time

pattern = re.compile(r"^(\w+\s?)*$")
lines = ["x" * 21 + "!" for _ in range(6)]
spent = 0.0
found = 0
for line in lines:
    began = time.perf_counter()
    found += pattern.match(line) is not None  # FAULT regular-expressions
    spent += time.perf_counter() - began
print("truth", spent)
