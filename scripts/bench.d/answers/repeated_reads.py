"""Parses the same configuration for each item."""
import os
import tempfile
import time

with tempfile.NamedTemporaryFile("w", dir=".", suffix=".ini", delete=False) as made:
    made.write("key = value\n" * 400000)
spent = 0.0
for item in range(700):
    began = time.perf_counter()
    with open(made.name, "rb") as settings:
        text = settings.read()  # FAULT repeated-reads
    spent += time.perf_counter() - began
os.unlink(made.name)
print("truth", spent)
