"""Answer priced quote requests of many tenants, each with its own overrides of the defaults.

What is wrong: settings_for() makes copy.deepcopy of the whole default
configuration for every request, though only a few keys differ and nobody
changes the result.
First screen should say: copy.deepcopy in settings_for, called once per request,
takes N seconds; the configuration is the same each time.
Mend: build the merged settings once per tenant and keep them.
"""
import copy
import hashlib
import json
import random
import time

REGIONS = ["eu-%d" % i for i in range(12)] + ["us-%d" % i for i in range(12)]

DEFAULTS = {
    "currency": "EUR",
    "rounding": 2,
    "tax": {r: {"rate": 0.05 + i / 200, "codes": ["T%d" % (i + k) for k in range(5)]}
            for i, r in enumerate(REGIONS)},
    "limits": {"max_items": 40, "max_total": 250_000, "discount": [0, 2, 5, 8]},
    "shipping": {r: {"base": 4.0 + i, "per_kg": 0.3} for i, r in enumerate(REGIONS)},
}


class Tenants:
    def __init__(self, names):
        rnd = random.Random(5)
        self.overrides = {n: {"rounding": rnd.choice([0, 2, 3]),
                              "limits": {"discount": sorted(rnd.sample(range(15), 4))}} for n in names}
        self.spent = 0.0

    def merge(self, base, over):
        for key, value in over.items():
            if isinstance(value, dict):
                self.merge(base[key], value)
            else:
                base[key] = value
        return base

    def settings_for(self, name):
        t0 = time.perf_counter()
        settings = self.merge(copy.deepcopy(DEFAULTS), self.overrides[name])  # FAULT deepcopy
        self.spent += time.perf_counter() - t0
        return settings


def discount(step, total):
    for level, percent in zip((100_000, 10_000, 1_000, 0), reversed(step)):
        if total >= level:
            return percent / 100
    return 0.0


def quote(settings, request):
    total = weight = 0.0
    for item in request["items"]:
        total += item["price"] * item["n"]
        weight += item["kg"] * item["n"]
    total *= 1 - discount(settings["limits"]["discount"], total)
    region = request["region"]
    ship = settings["shipping"][region]
    total += ship["base"] + ship["per_kg"] * weight
    total *= 1 + settings["tax"][region]["rate"]
    return {"total": round(total, settings["rounding"]), "currency": settings["currency"]}


def requests(names, n):
    rnd = random.Random(8)
    for i in range(n):
        yield json.dumps({"tenant": rnd.choice(names), "region": rnd.choice(REGIONS), "id": i,
                          "items": [{"price": rnd.randint(1, 900), "n": rnd.randint(1, 9),
                                     "kg": rnd.random()} for _ in range(rnd.randint(10, 40))]})


def main():
    names = ["tenant%02d" % i for i in range(30)]
    tenants, digest = Tenants(names), hashlib.sha256()
    for body in requests(names, 20000):
        request = json.loads(body)
        answer = quote(tenants.settings_for(request["tenant"]), request)
        digest.update(json.dumps(answer, sort_keys=True).encode())
    print("answers", digest.hexdigest()[:16])
    print("truth %.3f" % tenants.spent)


if __name__ == "__main__":
    main()
