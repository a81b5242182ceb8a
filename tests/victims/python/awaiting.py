# Awaits in all the ways there are, 50 ms or more each, and says for each its line and what that waited. A server that
# answers after a while runs in a thread beside it.
import asyncio
import threading
import time

told = {}


async def answer(reader, writer):
    while await reader.readline():
        await asyncio.sleep(0.01)
        writer.write(b"42\n")
        await writer.drain()
    writer.close()


def serve(port):
    async def main():
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port.append(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(main())


async def ask(reader, writer, times):
    for _ in range(times):
        writer.write(b"?\n")
        await reader.readline()  # LINE asked


async def count(times):
    for i in range(times):
        await asyncio.sleep(0.01)  # LINE generated
        yield i


async def nap(seconds):
    await asyncio.sleep(seconds)  # LINE task


class Lazy:
    def __await__(self):
        return asyncio.sleep(0.05).__await__()


async def timed(name, awaitable):
    began = time.perf_counter()
    result = await awaitable
    told[name] = time.perf_counter() - began
    return result


async def gathered():
    await asyncio.gather(asyncio.sleep(0.05), asyncio.sleep(0.04))  # LINE gathered


async def blocking():
    time.sleep(0.05)  # LINE blocked


async def blocked():
    await asyncio.gather(blocking())  # LINE waited


async def behind(lock, seconds):
    async with lock:
        await asyncio.sleep(seconds)  # LINE locked


async def locked():
    lock = asyncio.Lock()
    await asyncio.gather(*(behind(lock, 0.003) for _ in range(100)))


async def through_object():
    await Lazy()  # LINE object


async def through_generator():
    async for _ in count(5):  # 50 ms
        pass


async def main(port):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    await timed("asked", ask(reader, writer, 5))
    await timed("generated", through_generator())
    await timed("task", asyncio.ensure_future(nap(0.05)))
    await timed("gathered", gathered())
    await timed("locked", locked())
    await timed("object", through_object())
    await timed("blocked", blocked())
    writer.close()


port = []
threading.Thread(target=serve, args=(port,), daemon=True).start()
while not port:
    time.sleep(0.01)
loop = asyncio.new_event_loop()
loop.run_until_complete(main(port[0]))
print("tid_main", threading.main_thread().native_id)
for number, text in enumerate(open(__file__), 1):
    name = text.partition("  # LINE ")[2].strip()
    if name.isidentifier():
        print(f"line_{name}", number)
    if name in told:
        print(f"ns_{name}", round(told[name] * 1e9))
