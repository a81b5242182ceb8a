"""SOUND: sorts and hashes with functions written in C."""
import hashlib
import os

for _ in range(12):
    data = sorted(os.urandom(1500000))
    hashlib.sha256(bytes(data)).hexdigest()
