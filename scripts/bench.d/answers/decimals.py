"""Adds up interest with decimals, day by day."""
import decimal
import time

accounts = [decimal.Decimal(100 + i) for i in range(150)]
rate = decimal.Decimal("0.035") / 365
began, began_cpu = time.perf_counter(), time.thread_time()
for balance in accounts:
    for day in range(20000):
        balance += (balance * rate).quantize(decimal.Decimal("0.000001"))  # FAULT none python-loop
spent, cpu = time.perf_counter() - began, time.thread_time() - began_cpu
print("truth", spent, cpu)
