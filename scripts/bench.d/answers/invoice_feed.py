"""Nightly invoice feed: parse the billing dump, price it, write one JSON document per invoice.

What is wrong: Dataclasses.asdict deep-copies every nested invoice just to serialise it.
Mend: Build the dict from vars() of the (flat) records.
"""
import csv
import hashlib
import io
import json
import random
import time
from dataclasses import asdict, dataclass, field
from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")
VAT = {"standard": Decimal("0.19"), "reduced": Decimal("0.07"), "zero": Decimal("0")}
clock = {"document": 0.0, "probe": 0.0}


@dataclass
class Line:
    sku: str
    text: str
    quantity: int
    price: Decimal
    vat: str
    net: Decimal = Decimal(0)
    tax: Decimal = Decimal(0)


@dataclass
class Address:
    name: str
    street: str
    city: str
    country: str


@dataclass
class Invoice:
    number: str
    customer: Address
    lines: list[Line] = field(default_factory=list)
    net: Decimal = Decimal(0)
    tax: Decimal = Decimal(0)


def plain(invoice):
    return {"number": invoice.number, "customer": dict(vars(invoice.customer)),
            "lines": [dict(vars(line)) for line in invoice.lines],
            "net": invoice.net, "tax": invoice.tax}


def billing_dump(invoices, seed):
    rng = random.Random(seed)
    out = io.StringIO()
    writer = csv.writer(out)
    for n in range(invoices):
        who = rng.randrange(9000)
        for _ in range(rng.randint(4, 14)):
            sku = rng.randrange(4000)
            writer.writerow([f"R{n:07d}", f"Customer {who}", f"Lane {who % 211}", f"City {who % 57}", "DE",
                             f"A{sku:05d}", f"Article number {sku}", rng.randint(1, 40),
                             f"{rng.randint(99, 99999) / 100:.2f}", rng.choice(["standard", "reduced", "zero"])])
    return out.getvalue()


def parse(dump):
    current = None
    for number, name, street, city, country, sku, text, qty, price, vat in csv.reader(io.StringIO(dump)):
        if current is None or current.number != number:
            if current is not None:
                yield current
            current = Invoice(number, Address(name, street, city, country))
        current.lines.append(Line(sku, text, int(qty), Decimal(price), vat))
    if current is not None:
        yield current


def settle(invoice):
    for line in invoice.lines:
        line.net = (line.price * line.quantity).quantize(CENT, ROUND_HALF_UP)
        line.tax = (line.net * VAT[line.vat]).quantize(CENT, ROUND_HALF_UP)
    invoice.net = sum((line.net for line in invoice.lines), Decimal(0))
    invoice.tax = sum((line.tax for line in invoice.lines), Decimal(0))


def document(invoice):
    began = time.perf_counter()
    body = asdict(invoice)  # FAULT record-copies
    clock["document"] += time.perf_counter() - began
    return json.dumps(body, default=str, sort_keys=True)


class FeedWriter:
    def __init__(self):
        self.digest = hashlib.sha256()
        self.size = 0
        self.count = 0

    def write(self, text):
        data = text.encode()
        self.digest.update(len(data).to_bytes(4, "big"))
        self.digest.update(data)
        self.size += len(data)
        self.count += 1


def probe(invoice):
    began = time.perf_counter()
    plain(invoice)
    clock["probe"] += time.perf_counter() - began


def main():
    dump = billing_dump(45000, seed=5)
    feed = FeedWriter()
    gross = Decimal(0)
    for invoice in parse(dump):
        settle(invoice)
        gross += invoice.net + invoice.tax
        feed.write(document(invoice))
        if feed.count % 20 == 0:
            probe(invoice)
    print(f"{feed.count} invoices, gross {gross}, {feed.size} bytes, {feed.digest.hexdigest()[:16]}")
    print(f"truth {clock['document'] - 20 * clock['probe']:.3f}")


if __name__ == "__main__":
    main()
