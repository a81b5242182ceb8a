"""Saves its whole state as text after each step."""
import json
import time

state = {f"key{i}": list(range(40)) for i in range(2000)}
spent = 0.0
for step in range(40):
    state["step"] = step
    began = time.perf_counter()
    text = json.dumps(state)  # FAULT json
    spent += time.perf_counter() - began
print("truth", spent)
