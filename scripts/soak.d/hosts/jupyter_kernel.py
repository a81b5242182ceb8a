"""Jupyter's kernel: a client starts it, runs cells, interrupts one, restarts it and shuts it down."""
import asyncio

from jupyter_client.manager import AsyncKernelManager

CELLS = [
    "import hashlib, threading, subprocess, sys\nx = sum(i * i for i in range(300000))\nx",
    "print(hashlib.pbkdf2_hmac('sha256', b'a', b'b', 100000).hex())",
    "total = []\nthreads = [threading.Thread(target=lambda n=n: total.append(n)) for n in range(50)]\n"
    "[t.start() for t in threads]; [t.join() for t in threads]\nsorted(total)[-1]",
    "import asyncio\nawait asyncio.gather(*[asyncio.sleep(0.01 * n, n) for n in range(5)])",
    "def f(n):\n    return 1 if n < 2 else f(n - 1) + f(n - 2)\nf(22)",
    "!echo from a shell",
    "subprocess.check_output([sys.executable, '-c', 'print(6 * 7)'])",
    "1 / 0",
    "from IPython.display import HTML\nHTML('<b>bold</b>')",
]


async def run(client, code):
    said = []

    def hook(message):
        content, kind = message["content"], message["msg_type"]
        if kind == "stream":
            said.append(content["text"])
        elif kind in ("execute_result", "display_data"):
            said.append(content["data"].get("text/html") or content["data"]["text/plain"])
        elif kind == "error":
            said.append(f"{content['ename']}: {content['evalue']}")

    reply = await client.execute_interactive(code, output_hook=hook, timeout=60)
    return reply["content"]["status"], "".join(said)


async def main():
    manager = AsyncKernelManager(kernel_name="python3")
    await manager.start_kernel()
    client = manager.client()
    client.start_channels()
    await client.wait_for_ready(60)
    for turn in range(2):
        for cell in CELLS:
            print(*await run(client, cell))
        sleeper = asyncio.ensure_future(run(client, "print('sleeps')\nimport time; time.sleep(60)"))
        await asyncio.sleep(1)
        await manager.interrupt_kernel()
        print("interrupted", *await sleeper)
        if turn == 0:
            await manager.restart_kernel()
            await client.wait_for_ready(60)
    client.stop_channels()
    await manager.shutdown_kernel()
    print("alive", await manager.is_alive())


asyncio.run(main())
