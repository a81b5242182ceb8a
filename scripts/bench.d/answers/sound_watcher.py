"""SOUND: watches a folder and rests in between."""
import os
import time


def scan(path):
    return {e.name: e.stat().st_mtime for e in os.scandir(path) if e.is_file()}


def main():
    known = {}
    end = time.monotonic() + 4
    while time.monotonic() < end:
        now = scan("/etc")
        changed = [n for n in now if known.get(n) != now[n]]
        known = now
        time.sleep(0.5)
    print(len(known), len(changed))


main()
