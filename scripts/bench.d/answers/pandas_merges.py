"""Looks the price of each sale up with a merge of its own."""
import time

import pandas

prices = pandas.DataFrame({"sku": range(2000), "price": [i % 89 / 3 for i in range(2000)]})
total = spent = cpu = 0.0
for sale in range(700):
    began, began_cpu = time.perf_counter(), time.thread_time()
    merged = pandas.DataFrame({"sku": [sale], "units": [3]}).merge(prices, on="sku")  # FAULT merges-in-a-loop
    spent += time.perf_counter() - began
    cpu += time.thread_time() - began_cpu
    total += float((merged["units"] * merged["price"]).sum())
print(total)
print("truth", spent, cpu)
