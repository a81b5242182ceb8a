"""gevent: servers, clients, queues, a thread pool and hundreds of greenlets, with all of the standard library patched."""
from gevent import monkey

monkey.patch_all()

import hashlib
import socket
import subprocess
import sys
import threading

import gevent
from gevent.pool import Pool
from gevent.queue import Queue
from gevent.server import StreamServer


def echo(sock, _):
    while data := sock.recv(4096):
        sock.sendall(data.swapcase())


def client(port, number):
    with socket.create_connection(("127.0.0.1", port), 60) as sock:
        got = b""
        for turn in range(20):
            message = f"client {number} turn {turn} ".encode().ljust(200, b"x")
            sock.sendall(message)
            answer = b""
            while len(answer) < len(message):
                answer += sock.recv(4096)
            got += answer
    return hashlib.sha256(got).hexdigest()


def depth(n):
    # Switches at each level of a recursion: the pieces of stack that greenlet saves have all sizes.
    gevent.sleep(0)
    return 1 + depth(n - 1) if n else 0


def main():
    server = StreamServer(("127.0.0.1", 0), echo)
    server.start()
    digests = Pool(50).map(lambda n: client(server.server_port, n), range(400))
    print("echo", hashlib.sha256("".join(digests).encode()).hexdigest())
    server.stop()
    print("depth", sum(Pool(40).map(depth, range(250))))

    queue, total = Queue(8), []
    workers = [gevent.spawn(lambda: total.extend(iter(queue.get, None))) for _ in range(5)]
    for number in range(50000):
        queue.put(number)
    for _ in workers:
        queue.put(None)
    gevent.joinall(workers, raise_error=True)
    print("queue", sum(total), len(total))

    pool = gevent.get_hub().threadpool
    print("pool", sum(pool.map(lambda n: int(hashlib.pbkdf2_hmac("md5", b"a", b"%d" % n, 3000).hex()[:4], 16), range(60))))
    lock, count = threading.Lock(), [0]

    def add():
        for _ in range(200):
            with lock:
                count[0] += 1
            gevent.sleep(0)

    threads = [threading.Thread(target=add) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print("locked", count[0])
    children = Pool(4).map(lambda n: subprocess.check_output([sys.executable, "-c", f"print({n} ** 3)"]), range(6))
    print("children", b"".join(children).split())
    with gevent.Timeout(0.05, False):
        gevent.sleep(30)
        print("no timeout")


main()
