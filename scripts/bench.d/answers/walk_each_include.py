"""Static site builder: each include is searched for in the theme folders."""
import os
import shutil
import tempfile
import time

cost = 0.0
cpu = 0.0


def make_theme(root):
    for i in range(1200):
        folder = os.path.join(root, "part%02d" % (i % 60), "v%d" % (i % 3))
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "inc%04d.html" % i), "w") as f:
            f.write("<div class='i%d'>{title}</div>" % i)


def find_include(root, name):
    found = None
    for folder, _, names in os.walk(root):  # FAULT none waiting-for-files
        for n in names:
            path = os.path.join(folder, n)
            if n == name and os.path.isfile(path):
                found = path
    return found


def render(root, page, includes):
    global cost, cpu
    out = []
    for name in includes:
        c = time.thread_time()
        t = time.perf_counter()
        path = find_include(root, name)
        cost += time.perf_counter() - t
        cpu += time.thread_time() - c
        with open(path) as f:
            text = f.read().replace("{title}", "Page %d" % page)
        for n in range(400):
            out.append(text.replace("class", "class%d" % n).upper())
    return "\n".join(out)


def main():
    root = tempfile.mkdtemp(dir=".")
    make_theme(root)
    size = 0
    n = 0
    for page in range(60):
        includes = ["inc%04d.html" % ((page * 11 + k * 97) % 1200) for k in range(4)]
        size += len(render(root, page, includes))
        n += 4
    shutil.rmtree(root)
    print(size)
    print("truth %.3f %.3f" % (cost * (n - 1) / n, cpu))


main()
