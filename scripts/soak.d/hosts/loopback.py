"""What the programs of this folder share: a server on a free port of the loopback, and a client with several threads."""
import contextlib
import http.client
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor


def free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


def get(port, path):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


@contextlib.contextmanager
def server(*command, port, env=None, stop="terminate"):
    """Starts a command, waits until it listens, and asks it to end in the end; says how it ended."""
    process = subprocess.Popen(command, env=env, stdout=sys.stderr)
    try:
        for _ in range(600):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 5):
                break
            if process.poll() is not None:
                sys.exit(f"the server ended at once: {process.returncode}")
            time.sleep(0.1)
        yield process
        getattr(process, stop)()
        print("server ended with", process.wait(60))
    finally:
        process.kill()


def storm(port, paths, clients=8):
    """Asks for all paths from several threads; prints each answer but once, sorted."""
    with ThreadPoolExecutor(clients) as pool:
        answers = list(pool.map(lambda path: (path, *get(port, path)), paths))
    counts = {}
    for answer in answers:
        counts[answer] = counts.get(answer, 0) + 1
    for (path, status, body), times in sorted(counts.items()):
        print(path, status, body.decode(), times)
