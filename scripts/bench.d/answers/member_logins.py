"""The members' area of a club: logs members in, shows them what is on, and lets them book.

What is wrong: log_in() computes the hash of the password on the thread of the event loop, 12 ms each time, in which
nobody else is answered.
First screen should say: passwords are hashed on the event loop, at the line in log_in(), some 1.1 s.
Mend: asyncio.to_thread(): hashlib gives the interpreter's lock up, so that two are computed at once.
"""
import asyncio
import hashlib
import json
import random
import time

MEMBERS = 60
VISITORS = 6
LOGINS = 30  # of each visitor
EVENTS = [{"id": n, "title": f"evening {n}", "seats": 20 + n * 7 % 30} for n in range(60)]


def hashed(password, salt):
    return hashlib.pbkdf2_hmac("sha256", password.encode(), salt, 18000)


class Club:
    def __init__(self):
        self.salts = {n: n.to_bytes(8, "big") * 2 for n in range(MEMBERS)}
        self.known = {n: hashed(f"secret{n}", salt) for n, salt in self.salts.items()}
        self.sessions = {}
        self.bookings = []
        self.spent = 0.0

    async def log_in(self, member, password):
        began = time.perf_counter()
        good = hashed(password, self.salts[member]) == self.known[member]  # FAULT loop-hashes
        self.spent += time.perf_counter() - began
        if not good:
            return {"error": "no such member or password"}
        token = f"{member}-{len(self.sessions)}"
        self.sessions[token] = member
        return {"token": token}

    async def what_is_on(self, token):
        member = self.sessions[token]
        return {"events": sorted(EVENTS, key=lambda event: (event["seats"] * (member + 3)) % 17)[:20]}

    async def book(self, token, event):
        self.bookings.append((self.sessions[token], event))
        return {"booked": event}

    async def handle(self, reader, writer):
        while line := await reader.readline():
            asked = json.loads(line)
            answer = await getattr(self, asked.pop("do"))(**asked)
            writer.write(json.dumps(answer).encode() + b"\n")
            await writer.drain()
        writer.close()


async def visit(port, rng):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)

    async def ask(**what):
        writer.write(json.dumps(what).encode() + b"\n")
        await writer.drain()
        return json.loads(await reader.readline())

    booked = 0
    for _ in range(LOGINS):
        member = rng.randrange(MEMBERS)
        token = (await ask(do="log_in", member=member, password=f"secret{member}"))["token"]
        for _ in range(8):
            events = (await ask(do="what_is_on", token=token))["events"]
            await ask(do="book", token=token, event=rng.choice(events)["id"])
            booked += 1
    writer.close()
    return booked


async def main():
    club = Club()
    server = await asyncio.start_server(club.handle, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    booked = await asyncio.gather(*(visit(port, random.Random(n)) for n in range(VISITORS)))
    server.close()
    print("booked", sum(booked), "of", len(club.bookings))
    # What two processors could have done at once.
    print("truth", club.spent / 2)


asyncio.run(main())
