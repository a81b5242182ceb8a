"""Asks a service of its own for prices: each request is sent as a head and a body."""
import socket
import struct
import threading
import time


def whole(sock, size):
    data = b""
    while len(data) < size:
        part = sock.recv(size - len(data))
        if not part:
            return b""
        data += part
    return data


def serve(listener):
    sock, _ = listener.accept()
    while head := whole(sock, 4):
        body = whole(sock, struct.unpack("!I", head)[0])
        answer = str(sum(body) % 997).encode()
        sock.sendall(struct.pack("!I", len(answer)) + answer)


def price(sock, name):
    body = name.encode()
    sock.sendall(struct.pack("!I", len(body)))  # FAULT network-waits
    sock.sendall(body)  # FAULT network-waits
    return int(whole(sock, struct.unpack("!I", whole(sock, 4))[0]))


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=serve, args=(listener,), daemon=True).start()
    sock = socket.create_connection(listener.getsockname())
    began = time.perf_counter()
    total = sum(price(sock, f"item {i} of the list") for i in range(60))
    spent = time.perf_counter() - began
    report = [f"{i}:{total * i % 1009}" for i in range(400_000)]
    print(total, len("".join(report)))
    print("truth %.3f" % spent)


main()
