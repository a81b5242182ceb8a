"""A small key-value server on asyncio streams with two dozen clients that send their commands in batches."""
import asyncio
import random

CLIENTS = 24
BATCHES = 900
BATCH = 100


class Store:
    def __init__(self):
        self.values = {}
        self.commands = 0

    def execute(self, words):
        self.commands += 1
        command = words[0]
        if command == b"SET":
            self.values[words[1]] = words[2]
            return b"OK"
        if command == b"GET":
            return self.values.get(words[1], b"-")
        if command == b"INCR":
            value = self.values[words[1]] = b"%d" % (int(self.values.get(words[1], b"0")) + 1)
            return value
        return b"ERR"


class Server:
    def __init__(self, store):
        self.store = store

    async def connection(self, reader, writer):
        rest = b""
        while data := await reader.read(65536):
            lines = (rest + data).split(b"\n")
            rest = lines.pop()
            replies = [self.store.execute(line.split()) for line in lines]
            if replies:
                writer.write(b"\n".join(replies) + b"\n")
                await writer.drain()
        writer.close()


class Client:
    def __init__(self, number, port):
        self.number = number
        self.port = port
        self.draw = random.Random(number)
        self.misses = 0
        self.sum = 0

    def batch(self):
        draw, number = self.draw.random, self.number
        for _ in range(BATCH):
            chance = draw()
            key = int(chance * 1e6) % 500
            if chance < 0.3:
                yield b"SET c%d:k%d %d" % (number, key, key * 7)
            elif chance < 0.9:
                yield b"GET c%d:k%d" % (number, key)
            else:
                yield b"INCR c%d:n%d" % (number, key % 10)

    async def run(self):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        for _ in range(BATCHES):
            writer.write(b"\n".join(self.batch()) + b"\n")
            await writer.drain()
            rest = BATCH
            tail = b""
            while rest:
                lines = (tail + await reader.read(65536)).split(b"\n")
                tail = lines.pop()
                rest -= len(lines)
                for line in lines:
                    if line == b"-":
                        self.misses += 1
                    elif line != b"OK":
                        self.sum += int(line)
        writer.close()
        await writer.wait_closed()


async def main():
    store = Store()
    server = await asyncio.start_server(Server(store).connection, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    clients = [Client(number, port) for number in range(CLIENTS)]
    await asyncio.gather(*(client.run() for client in clients))
    server.close()
    print("commands", store.commands, "keys", len(store.values))
    print("misses", sum(client.misses for client in clients), "sum", sum(client.sum for client in clients))


asyncio.run(main())
