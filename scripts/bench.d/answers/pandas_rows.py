"""Goes through a frame row by row."""
import time

import pandas

frame = pandas.DataFrame({"units": range(40000), "price": [i % 97 / 7 for i in range(40000)]})
began = time.perf_counter()
total = 0.0
for _, row in frame.iterrows():
    total += row["units"] * row["price"]  # FAULT row-by-row
spent = time.perf_counter() - began
assert abs(total - (frame["units"] * frame["price"]).sum()) < 1
print("truth", spent)
