"""aiohttp on uvloop, server and client in one process, with a web socket, child processes and work in threads."""
import asyncio
import hashlib
import sys

import uvloop
from aiohttp import ClientSession, WSMsgType, web


async def hello(request):
    body = await request.read()
    await asyncio.sleep(0)
    return web.json_response({"sha": hashlib.sha256(body).hexdigest(), "n": len(body)})


async def heavy(request):
    n = int(request.match_info["n"])
    work = lambda: hashlib.pbkdf2_hmac("sha256", b"%d" % n, b"salt", 20000).hex()
    return web.Response(text=await asyncio.get_running_loop().run_in_executor(None, work))


async def socket(request):
    ws = web.WebSocketResponse()
    await ws.prepare(request)
    async for message in ws:
        if message.type == WSMsgType.TEXT:
            await ws.send_str(message.data[::-1])
    return ws


async def child(n):
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", f"print(sum(range({n})))", stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate()
    return int(out), process.returncode


async def main():
    app = web.Application(client_max_size=1 << 22)
    app.add_routes([web.post("/", hello), web.get("/heavy/{n}", heavy), web.get("/ws", socket)])
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    url = "http://127.0.0.1:%d" % runner.addresses[0][1]
    async with ClientSession() as session:

        async def post(n):
            async with session.post(url, data=bytes([n % 251]) * (n * 97)) as answer:
                return (await answer.json())["sha"]

        async def get(n):
            async with session.get(f"{url}/heavy/{n}") as answer:
                return await answer.text()

        async def talk(n):
            said = []
            async with session.ws_connect(f"{url}/ws") as ws:
                for turn in range(60):
                    await ws.send_str(f"{n}:{turn}")
                    said.append(await ws.receive_str())
            return ",".join(said)

        for name, work, n in ("post", post, 1200), ("heavy", get, 150), ("talk", talk, 30):
            answers = await asyncio.gather(*map(work, range(n)))
            print(name, hashlib.sha256("".join(answers).encode()).hexdigest())
    print("children", await asyncio.gather(*map(child, range(1000, 1008))))
    await runner.cleanup()


uvloop.install()
asyncio.run(main())
