"""Serves the profile pages of a forum: the member, his last posts and the badges come from three services.

What is wrong: the handler awaits each of the three before it asks the next one, though none needs another's answer.
First screen should say: a task awaits its peers one after the other for each request, at the three lines in page(),
some 1.3 s.
Mend: asyncio.gather() of the three.
"""
import asyncio
import json
import multiprocessing
import random
import time

SERVICES = ("members", "posts", "badges")
PAGES = 90
in_turn = 0.0


async def serve_parts(name, port_of):
    """Stands for a service elsewhere: it takes 5 to 9 ms."""
    rng = random.Random(name)

    async def answer(reader, writer):
        while line := await reader.readline():
            await asyncio.sleep(rng.uniform(0.005, 0.009))
            number = int(line)
            writer.write(json.dumps({"part": name, "rows": [number * k % 97 for k in range(30)]}).encode() + b"\n")
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port_of[name] = server.sockets[0].getsockname()[1]
    return server


async def elsewhere(pipe):
    """The services, and one who reads pages."""
    ports = {}
    servers = [await serve_parts(name, ports) for name in SERVICES]
    pipe.send(ports)
    reader, writer = await asyncio.open_connection("127.0.0.1", pipe.recv())
    size = 0
    for member in range(PAGES):
        writer.write(b"%d\n" % member)
        await writer.drain()
        size += len(await reader.readline())
    writer.close()
    pipe.send(size)
    pipe.recv()
    await asyncio.sleep(0.05)  # until the services have seen that nobody asks them any more
    for server in servers:
        server.close()


def start_elsewhere(pipe):
    asyncio.run(elsewhere(pipe))


class Service:
    def __init__(self, streams):
        self.reader, self.writer = streams

    async def of(self, member):
        self.writer.write(b"%d\n" % member)
        await self.writer.drain()
        return json.loads(await self.reader.readline())["rows"]


def render(member, posts, badges):
    return json.dumps({"name": f"member {member[1]}", "posts": posts, "badges": sorted(set(badges))})


async def page(services, number):
    global in_turn
    began = time.perf_counter()
    member = await services["members"].of(number)  # FAULT awaits-for-each
    first = time.perf_counter()
    posts = await services["posts"].of(number)  # FAULT awaits-for-each
    second = time.perf_counter()
    badges = await services["badges"].of(number)  # FAULT awaits-for-each
    took = (first - began, second - first, time.perf_counter() - second)
    in_turn += sum(took) - max(took)
    return render(member, posts, badges)


async def main():
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    child = multiprocessing.get_context("spawn").Process(target=start_elsewhere, args=(theirs,))
    child.start()
    loop = asyncio.get_running_loop()
    ports = await loop.run_in_executor(None, ours.recv)
    services = {name: Service(await asyncio.open_connection("127.0.0.1", port)) for name, port in ports.items()}

    async def handle(reader, writer):
        while line := await reader.readline():
            writer.write((await page(services, int(line))).encode() + b"\n")
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    ours.send(server.sockets[0].getsockname()[1])
    size = await loop.run_in_executor(None, ours.recv)
    for service in services.values():
        service.writer.close()
    ours.send(None)
    await loop.run_in_executor(None, child.join)
    print("pages", PAGES, "bytes", size)
    print("truth", round(in_turn, 3))


if __name__ == "__main__":
    asyncio.run(main())
