"""A small asyncio quote service. Each request looks a price up at an upstream HTTP API."""
import asyncio
import json
import os
import time
import urllib.request

UPSTREAM = "http://" + os.environ["SERVICE"]
spent = 0.0


def fetch_price(sku):
    with urllib.request.urlopen(f"{UPSTREAM}/price/{sku}?delay=15") as resp:
        return json.loads(resp.read())[0]


async def quote(sku, quantity):
    global spent
    t = time.perf_counter()
    item = fetch_price(sku)  # FAULT event-loop-blocked
    spent += time.perf_counter() - t
    await asyncio.sleep(0.002)
    return {"sku": sku, "total": item["price"] * quantity}


async def handle(reader, writer):
    while line := await reader.readline():
        request = json.loads(line)
        answer = await quote(request["sku"], request["quantity"])
        writer.write(json.dumps(answer).encode() + b"\n")
        await writer.drain()
    writer.close()


async def client(n, port):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    totals = 0.0
    for i in range(10):
        writer.write(json.dumps({"sku": f"{n}-{i}", "quantity": i + 1}).encode() + b"\n")
        totals += json.loads(await reader.readline())["total"]
    writer.close()
    return totals


def summarise(totals):
    rows = sorted(totals)
    report = []
    for i in range(60_000):
        report.append("%s:%.2f" % (i % len(rows), rows[i % len(rows)]))
    return len("\n".join(report))


async def main():
    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    totals = await asyncio.gather(*(client(n, port) for n in range(12)))
    server.close()
    print("report bytes", summarise(totals))


asyncio.run(main())
# The twelve clients ask at the same time when it is mended.
print("truth %.3f" % (spent * 11 / 12))
