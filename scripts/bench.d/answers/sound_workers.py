"""SOUND: a thread pool that is idle between jobs that come from outside."""
import concurrent.futures
import hashlib
import os
import time

with concurrent.futures.ThreadPoolExecutor(4) as pool:
    for _ in range(15):
        block = os.urandom(4 << 20)
        list(pool.map(lambda part: hashlib.sha256(part).digest(), [block] * 4))
        time.sleep(0.001)
