"""Answer freight quotes from a tariff file (TOML) that may be edited while the service runs.

What is wrong: the tariff is cached by lru_cache with the well-known extra "ttl" argument, which should
stay the same for a minute; but ttl_key() forgets to round, so the key is different at each call,
the cache never hits, and the file is read and parsed again for each quote.

First screen should say: load_tariff (open + tomllib.load of the same unchanged file) runs 750 times, once a
quote, and takes about 1.0 s; its lru_cache has 750 misses and no hit, as the key of ttl_key() is a new
float each time; amount as printed by `truth` (seconds in load_tariff). The marked line is the cause;
tomllib.load is where the time goes.

Mend: return int(time.time() // seconds), so that the key changes once a minute.
"""
import functools
import os
import random
import tempfile
import time
import tomllib
from decimal import Decimal, ROUND_UP

loading = 0.0


def write_tariff(path):
    rnd = random.Random(2)
    with open(path, "w") as out:
        out.write('currency = "EUR"\nfuel_surcharge = "0.085"\n')
        for zone in range(24):
            out.write(f'\n[zone.z{zone}]\nname = "Zone {zone}"\ndays = {rnd.randrange(1, 9)}\nsteps = [\n')
            for kilos in (1, 2, 5, 10, 20, 30, 50):
                out.write(f'  {{ up_to = {kilos}, price = "{3 + kilos * (1 + zone / 9):.2f}" }},\n')
            out.write("]\n")


def ttl_key(seconds=60):
    return time.time() / seconds  # FAULT configuration-parsing


@functools.lru_cache(maxsize=16)
def load_tariff(path, ttl):
    global loading
    started = time.perf_counter()
    with open(path, "rb") as source:
        tariff = tomllib.load(source)  # FAULT configuration-parsing
    for zone in tariff["zone"].values():
        for step in zone["steps"]:
            step["price"] = Decimal(step["price"])
    loading += time.perf_counter() - started
    return tariff


class QuoteService:
    def __init__(self, path):
        self.path = path

    def quote(self, shipment):
        tariff = load_tariff(self.path, ttl_key())
        zone = tariff["zone"][f"z{shipment['zone']}"]
        surcharge = 1 + Decimal(tariff["fuel_surcharge"])
        total = Decimal(0)
        for length, width, height, kilos in shipment["boxes"]:
            volumetric = Decimal(length * width * height) / 5000
            charged = max(volumetric, kilos).quantize(Decimal("0.1"), ROUND_UP)
            step = next((s for s in zone["steps"] if charged <= s["up_to"]), zone["steps"][-1])
            total += max(step["price"], step["price"] * charged / step["up_to"]) * surcharge
        return total.quantize(Decimal("0.01")), zone["days"]


def shipments(rnd, count=750):
    for _ in range(count):
        boxes = [(rnd.randrange(10, 60), rnd.randrange(10, 60), rnd.randrange(5, 40),
                  Decimal(rnd.randrange(1, 480)) / 10) for _ in range(500)]
        yield {"zone": rnd.randrange(24), "boxes": boxes}


def main():
    with tempfile.TemporaryDirectory(prefix="freight.") as folder:
        path = os.path.join(folder, "tariff.toml")
        write_tariff(path)
        service = QuoteService(path)
        turnover, days = Decimal(0), 0
        for shipment in shipments(random.Random(9)):
            price, took = service.quote(shipment)
            turnover += price
            days += took
    print(f"quoted {turnover} EUR, {days} days")
    print(f"truth {loading:.3f}")


if __name__ == "__main__":
    main()
