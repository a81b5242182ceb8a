"""Counts the levels of log lines that come by a socket; it is read without a buffer."""
import collections
import socket
import threading
import time


def send(sock):
    block = "".join(f"{'INFO' if i % 7 else 'WARNING'} host{i % 5} event {i} took {i * 37 % 1000} ms\n" for i in range(100))
    for _ in range(130):
        sock.sendall(block.encode())
    sock.close()


def summarise(levels):
    rows = []
    for i in range(250_000):
        rows.append("%s:%d" % ("INFO" if i % 2 else "WARNING", levels["INFO"] * i % 1013))
    return len("".join(rows))


def main():
    here, there = socket.socketpair()
    threading.Thread(target=send, args=(there,), daemon=True).start()
    lines = here.makefile("rb", buffering=0)
    levels = collections.Counter()
    spent = 0.0
    while True:
        began = time.thread_time()
        line = lines.readline()  # FAULT small-messages
        spent += time.thread_time() - began
        if not line:
            break
        levels[line.split(b" ", 1)[0].decode()] += 1
    print(dict(levels), summarise(levels))
    print("truth %.3f" % spent)


main()
