"""Takes lines of a table apart letter by letter, instead of with the module csv."""
import csv
import time


def fields(line):
    out, field, quoted = [], "", False
    for letter in line:
        if letter == '"':
            quoted = not quoted
        elif letter == "," and not quoted:
            out.append(field)
            field = ""
        else:
            field += letter  # FAULT python-loop
    out.append(field)
    return out


lines = [f'{i},"Miller, {i}",street {i * 7 % 1000},{"a long remark " * 20}' for i in range(80000)]
began, cpu = time.perf_counter(), time.thread_time()
rows = [fields(line) for line in lines]
by_hand, by_hand_cpu = time.perf_counter() - began, time.thread_time() - cpu
cpu = time.thread_time()
assert rows == list(csv.reader(lines))
print("truth", by_hand * (1 - (time.thread_time() - cpu) / by_hand_cpu))
