"""Inventory of a tree of files with checksums."""
import os
import shutil
import subprocess
import tempfile
import time

cost = 0.0


def make_tree(root, n):
    for i in range(n):
        folder = os.path.join(root, "d%02d" % (i % 10))
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "f%04d.txt" % i), "w") as f:
            f.write(("line %d\n" % i) * (20 + i % 300))


def checksum(path):
    return subprocess.check_output(["md5sum", path], text=True).split()[0]  # FAULT process-starts waiting-for-children


def longest_lines(path):
    counts = {}
    with open(path) as f:
        for line in f:
            for word in line.split():
                counts[word] = counts.get(word, 0) + len(word)
    return max(counts.values())


def main():
    global cost
    root = tempfile.mkdtemp(dir=".")
    make_tree(root, 900)
    inventory = []
    for folder, _, names in os.walk(root):
        for name in sorted(names):
            path = os.path.join(folder, name)
            t = time.perf_counter()
            digest = checksum(path)
            cost += time.perf_counter() - t
            inventory.append((path, digest, longest_lines(path)))
    shutil.rmtree(root)
    print(len(inventory))
    print("truth %.3f" % cost)


main()
