# Holds a known amount in Python's own objects and a known amount that its allocator hands on to malloc, and ends
# without giving anything back. Or lives through what a program may do to the allocators.
import os
import sys
import threading


def hold_floats(n):
    return [i * 0.5 + 0.25 for i in range(n)]


def hold_texts(n):
    return [b'%08d' % i * 125 for i in range(n)]


def churn(n):
    for i in range(n):
        pair = (i, [i, i + 1], {'a': i})
    return pair


def tracing():
    import tracemalloc
    held = hold_floats(1000)
    tracemalloc.start(3)
    more = hold_floats(2000)
    current, _ = tracemalloc.get_traced_memory()
    assert current >= 48000, current
    tracemalloc.stop()
    del held, more
    churn(1000)
    tracemalloc.start()
    again = hold_floats(500)
    assert tracemalloc.get_traced_memory()[0] >= 12000
    tracemalloc.stop()
    print(len(again))


def forking():
    held = hold_floats(5000)
    children = []
    for i in range(4):
        pid = os.fork()
        if pid == 0:
            held = held[: i * 1000]
            churn(3000)
            os._exit(len(held) // 1000)
        children.append(pid)
    print([os.waitpid(pid, 0)[1] >> 8 for pid in children])


def sub_interpreters():
    for name in ('_interpreters', '_xxsubinterpreters'):
        try:
            interpreters = __import__(name)
            break
        except ImportError:
            continue
    else:
        print('none')
        return
    for _ in range(3):
        one = interpreters.create()
        interpreters.run_string(one, 'held = [i * 0.5 for i in range(3000)]\nfor i in range(2000): x = (i, [i])\n')
        interpreters.destroy(one)
    print(len(hold_floats(100)))


def threads():
    results = []
    workers = [threading.Thread(target=lambda: results.append(len(hold_floats(3000)))) for _ in range(6)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    churn(5000)
    print(results)


def growing():
    # Out of the interpreter's own blocks into malloc's, and smaller again.
    for n in range(0, 3000, 7):
        a = bytearray()
        for i in range(n):
            a.append(i & 255)
        del a[n // 3:]
        a.extend(b'x' * 5)
    out = []
    for i in range(2000):
        out.append(i)
        if i % 100 == 0:
            del out[:50]
    print(len(a), len(out), sum(out))


if sys.argv[1] == 'hold':
    kept = hold_floats(int(sys.argv[2])), hold_texts(int(sys.argv[3]))
    print('float_bytes', sys.getsizeof(1.5) * len(kept[0]))
    print('text_bytes', sum(map(sys.getsizeof, kept[1])))
    sys.stdout.flush()
    os._exit(0)
else:
    globals()[sys.argv[1]]()
