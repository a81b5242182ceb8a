"""Nightly invoices with two processes: customers are split in the middle of the list."""
import multiprocessing as mp
import time


def customers():
    return [{"id": i, "orders": 20 + (260 if i < 150 else 0) + i % 9} for i in range(600)]


def invoice(customer):
    total = 0.0
    for n in range(customer["orders"]):
        price = (customer["id"] * 31 + n * 17) % 997 / 10
        for quantity in range(1, 201):
            discount = 0.02 * (quantity // 10)
            total += price * quantity * (1 - discount)
    return round(total, 2)


def run_part(part, results):
    t = time.perf_counter()
    total = sum(invoice(c) for c in part)  # FAULT uneven-workers
    results.put((total, time.perf_counter() - t))


def main():
    everyone = customers()
    results = mp.Queue()
    t = time.perf_counter()
    half = len(everyone) // 2
    parts = [everyone[:half], everyone[half:]]  # FAULT uneven-workers
    workers = [mp.Process(target=run_part, args=(p, results)) for p in parts]
    for w in workers:
        w.start()
    answers = [results.get() for w in workers]
    for w in workers:
        w.join()
    wall = time.perf_counter() - t
    times = [a[1] for a in answers]
    print("%.2f in %.3f, workers %s" % (sum(a[0] for a in answers), wall, ["%.3f" % x for x in times]))
    print("truth %.3f" % (max(times) - sum(times) / 2))


main()
