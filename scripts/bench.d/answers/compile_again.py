"""Evaluates a formula as text, once for each row."""
import time

rows = [(i, i + 1) for i in range(90000)]
spent = 0.0
total = 0
for a, b in rows:
    began = time.perf_counter()
    total += eval("a * 3 + b * (a - 1) + max(a, b) - min(a, b)")  # FAULT compiling
    spent += time.perf_counter() - began
made = compile("a * 3 + b * (a - 1) + max(a, b) - min(a, b)", "formula", "eval")
began = time.perf_counter()
for a, b in rows:
    eval(made)
print("truth", spent - (time.perf_counter() - began))
