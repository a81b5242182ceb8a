"""Proof-reads documents with the spelling service: starts the service, sends it one
paragraph at a time and collects the corrections.

What is wrong: Header and body in two small sends without TCP_NODELAY: Nagle + delayed ACK, 40 ms per call.
Mend: One sendall of header + body.
"""
import hashlib
import socket
import struct
import subprocess
import sys
import time

USUAL = 0.0016  # seconds per call, without the service's own work

WORDS = ("the quick brown fox jumps over a lazy dog while seven wizards brew potions and "
         "every engineer reviews another release note before lunch").split()
ENDINGS = ("s", "ed", "ing", "er", "ly", "es", "ish", "less", "y", "ness", "al", "ic")
KNOWN = WORDS + [w + e for e in ENDINGS for w in WORDS]
KNOWN_SET = frozenset(KNOWN)


# ---------------------------------------------------------------- service
def correct(word: str) -> str:
    if word in KNOWN_SET:
        return word
    best, best_d = word, 3
    for known in KNOWN:
        if abs(len(known) - len(word)) > 1:
            continue
        row = list(range(len(known) + 1))
        for i, a in enumerate(word, 1):
            prev, row[0] = row[0], i
            for j, b in enumerate(known, 1):
                prev, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, prev + (a != b))
        if row[-1] < best_d:
            best, best_d = known, row[-1]
    return best


def read_exact(f, n: int) -> bytes:
    data = f.read(n)
    if len(data) != n:
        raise EOFError
    return data


def serve():
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    conn, _ = listener.accept()
    f = conn.makefile("rb")
    while True:
        try:
            kind, size = struct.unpack("!cI", read_exact(f, 5))
        except EOFError:
            return
        text = read_exact(f, size).decode()
        t0 = time.perf_counter()
        answer = " ".join(correct(w) for w in text.split()).encode()
        took = time.perf_counter() - t0
        conn.sendall(struct.pack("!Id", len(answer), took) + answer)


# ---------------------------------------------------------------- client
class SpellClient:
    def __init__(self, port: int):
        self.sock = socket.create_connection(("127.0.0.1", port))
        self.reader = self.sock.makefile("rb")
        self.waited = 0.0
        self.calls = 0

    def check(self, paragraph: str) -> str:
        body = paragraph.encode()
        t0 = time.perf_counter()
        self.sock.sendall(struct.pack("!cI", b"P", len(body)))
        self.sock.sendall(body)  # FAULT network-waits
        size, took = struct.unpack("!Id", read_exact(self.reader, 12))
        answer = read_exact(self.reader, size).decode()
        self.waited += time.perf_counter() - t0 - took
        self.calls += 1
        return answer

    def close(self):
        self.reader.close()
        self.sock.close()


def make_paragraphs(count: int) -> list[str]:
    seed = 1
    out = []
    for _ in range(count):
        words = []
        for _ in range(110):
            seed = (seed * 1103515245 + 12345) & 0x7FFFFFFF
            w = WORDS[(seed >> 8) % len(WORDS)]
            if (seed >> 16) % 3 == 0 and len(w) > 3:
                k = (seed >> 4) % (len(w) - 1)
                w = w[:k] + w[k + 1] + w[k] + w[k + 2:]
            words.append(w)
        out.append(" ".join(words))
    return out


def main():
    paragraphs = make_paragraphs(int(sys.argv[1]) if len(sys.argv) > 1 else 70)
    service = subprocess.Popen([sys.executable, __file__, "--serve"], stdout=subprocess.PIPE, text=True)
    client = SpellClient(int(service.stdout.readline()))
    digest = hashlib.sha256()
    changed = 0
    for p in paragraphs:
        fixed = client.check(p)
        changed += sum(a != b for a, b in zip(p.split(), fixed.split()))
        digest.update(fixed.encode())
    client.close()
    service.wait()
    print(f"{len(paragraphs)} paragraphs, {changed} corrections, {digest.hexdigest()[:16]}")
    print(f"truth {client.waited - client.calls * USUAL:.3f}")


if __name__ == "__main__":
    serve() if "--serve" in sys.argv else main()
