"""Exports the orders of a shop as one JSON document for each customer, all into one file of lines.

What is wrong: json.dump(document, file) makes its text by the generator in pure Python, with one write for each token;
json.dumps uses the encoder in C.
First screen should say: most of the time is in json.dump called by Exporter.write (_iterencode, _iterencode_dict in
Python code and the many small writes), several times what json.dumps takes.
Mend: file.write(json.dumps(document)).
"""
import json
import random
import time
import zlib

CUSTOMERS = 4500
PATH = "orders.jsonl"


class Exporter:
    def __init__(self, path):
        self.file = open(path, "w", encoding="utf-8")
        self.count = 0
        self.spent = self.other = 0.0

    def write(self, document):
        began = time.perf_counter()
        json.dump(document, self.file)  # FAULT json
        self.spent += time.perf_counter() - began
        if self.count % 40 == 0:
            began = time.perf_counter()
            json.dumps(document)
            self.other += (time.perf_counter() - began) * 40
        self.file.write("\n")
        self.count += 1

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.file.close()


def order(draw, number):
    lines = []
    for _ in range(draw.randrange(4, 12)):
        price = draw.randrange(99, 20000)
        quantity = draw.randrange(1, 6)
        lines.append({"sku": "A%05d" % draw.randrange(99999), "price": price / 100, "quantity": quantity, "gift": None})
    total = sum(line["price"] * line["quantity"] for line in lines)
    return {"number": number, "paid": draw.random() < 0.9, "total": round(total, 2), "lines": lines}


def customers():
    draw = random.Random(19)
    number = 0
    for customer in range(CUSTOMERS):
        orders = []
        for _ in range(draw.randrange(4, 30)):
            number += 1
            orders.append(order(draw, number))
        yield {
            "customer": customer,
            "name": "Customer %d" % customer,
            "address": {"street": "Street %d" % (customer % 90), "city": "City %d" % (customer % 13)},
            "orders": orders,
        }


def main():
    with Exporter(PATH) as exporter:
        for document in customers():
            exporter.write(document)
    with open(PATH, "rb") as file:
        text = file.read()
    print("customers", exporter.count, "bytes", len(text), "sum %08x" % zlib.crc32(text))
    print("truth %.3f" % (exporter.spent - exporter.other))


main()
