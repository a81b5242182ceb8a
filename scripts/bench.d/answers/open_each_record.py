"""Convert sensor events to an audit file."""
import hashlib
import os
import time

AUDIT = "audit.log"
cost = 0.0


def audit(message):
    with open(AUDIT, "a") as f:  # FAULT small-writes
        f.write(message + "\n")


def events(n):
    digest = b"seed"
    for i in range(n):
        digest = hashlib.sha256(digest).digest()
        yield {"id": i, "device": digest[0], "value": int.from_bytes(digest[1:4], "big"), "sig": digest.hex()}


def convert(event):
    fields = []
    for key in sorted(event):
        fields.append("%s=%s" % (key, event[key]))
    checksum = 0
    for ch in event["sig"]:
        checksum = (checksum * 31 + ord(ch)) & 0xFFFF
    return "|".join(fields) + "|%04x" % checksum


def main():
    global cost
    for event in events(75_000):
        line = convert(event)
        t = time.perf_counter()
        audit(line)
        cost += time.perf_counter() - t
    size = os.path.getsize(AUDIT)
    os.unlink(AUDIT)
    print(size, "bytes; cost %.3f" % cost)
    print("truth %.3f" % (cost * 0.95))


main()
