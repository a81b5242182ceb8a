"""Monthly report: orders, and for each order its customer, from a service."""
import http.client
import json
import os
import time

cost = 0.0


class Api:
    def __init__(self):
        self.conn = http.client.HTTPConnection(os.environ["SERVICE"])

    def query(self, path):
        self.conn.request("GET", path)
        return json.loads(self.conn.getresponse().read())


class Customers:
    def __init__(self, api):
        self.api = api

    def by_id(self, customer_id):
        return self.api.query(f"/customer/{customer_id}?delay=4")[0]


def load_orders(api):
    ids = ",".join(map(str, range(350)))
    orders = api.query(f"/orders?ids={ids}&delay=4")
    return [{"id": o["id"], "customer": int(o["id"]) * 7 % 350, "lines": list(range(60))} for o in orders]


def report(orders, customers):
    global cost
    lines = []
    for order in orders:
        t = time.perf_counter()
        customer = customers.by_id(order["customer"])  # FAULT network-waits
        cost += time.perf_counter() - t
        for n in order["lines"]:
            lines.append("%-20s %6d %8.2f" % (customer["name"], n, customer["price"] * n))
    return lines


def main():
    api = Api()
    orders = load_orders(api)
    lines = report(orders, Customers(api))
    widths = {}
    for _ in range(12):
        for line in lines:
            for column, value in enumerate(line.split()):
                widths[column] = max(widths.get(column, 0), len(value))
    print(len(lines), widths)
    print("truth %.3f" % (cost * 349 / 350))


main()
