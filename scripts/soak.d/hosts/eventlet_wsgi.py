"""eventlet: a WSGI server and its clients in one process, all patched, with a pool of threads and timeouts."""
import eventlet

eventlet.monkey_patch()

import hashlib
import queue
import threading
import urllib.request

import eventlet.tpool
import eventlet.wsgi


def answer(environ, start_response):
    n = int(environ["PATH_INFO"].strip("/"))
    eventlet.sleep(0.001 * (n % 5))
    start_response("200 OK", [("Content-Type", "text/plain")])
    yield hashlib.sha256(b"%d" % n).hexdigest().encode()
    eventlet.sleep(0)
    yield b" %d" % sum(i * i for i in range(n * 10))


def depth(n):
    eventlet.sleep(0)
    return 1 + depth(n - 1) if n else 0


def main():
    listener = eventlet.listen(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    server = eventlet.spawn(eventlet.wsgi.server, listener, answer, log_output=False)

    def fetch(n):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/{n}", timeout=60) as reply:
            return reply.read().decode()

    pool = eventlet.GreenPool(60)
    print("pages", hashlib.sha256("".join(pool.imap(fetch, range(800))).encode()).hexdigest())
    server.kill()
    print("depth", sum(pool.imap(depth, range(200))))
    work = lambda n: hashlib.pbkdf2_hmac("sha256", b"%d" % n, b"salt", 20000).hex()
    done = list(pool.imap(lambda n: eventlet.tpool.execute(work, n), range(80)))
    print("pool", hashlib.sha256("".join(done).encode()).hexdigest())
    numbers, total = queue.Queue(4), []

    def take():
        while (n := numbers.get()) is not None:
            total.append(n)

    threads = [threading.Thread(target=take) for _ in range(6)]
    for thread in threads:
        thread.start()
    for n in [*range(3000), *[None] * 6]:
        numbers.put(n)
    for thread in threads:
        thread.join()
    print("queue", sum(total), len(total))
    try:
        with eventlet.Timeout(0.05):
            eventlet.sleep(30)
    except eventlet.Timeout:
        print("timeout")


main()
