"""Calls in threads of every make, counted by the script itself: it prints how often each function was called.

usage: exact_threads.py [threads|fork|own_profile]
"""
import _thread
import ctypes
import os
import sys
import threading
import time


def by_main(x):
    return x + 1


def by_threading(x):
    return x + 1


def by_raw(x):
    return x + 1


def by_daemon(x):
    return x + 1


def by_foreign(x):
    return x + 1


def before_fork(x):
    return x + 1


def in_child(x):
    return x + 1


def in_parent(x):
    return x + 1


def repeat(function, n):
    for i in range(n):
        function(i)


def threads():
    started = [threading.Thread(target=repeat, args=(by_threading, 1000 + i)) for i in range(4)]
    for thread in started:
        thread.start()
    done = []
    for i in range(3):
        _thread.start_new_thread(lambda n=i: (repeat(by_raw, 500 + n), done.append(n)), ())
    repeat(by_main, 777)
    blocked = threading.Lock()
    blocked.acquire()
    ready = threading.Event()

    def wait_for_ever():
        repeat(by_daemon, 333)
        ready.set()
        blocked.acquire()

    threading.Thread(target=wait_for_ever, daemon=True).start()
    ready.wait()
    # A thread that Python knows nothing of calls it.
    libc = ctypes.CDLL(None)
    kind = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
    called = kind(lambda _: repeat(by_foreign, 250))
    handle = ctypes.c_ulong()
    libc.pthread_create(ctypes.byref(handle), None, called, None)
    libc.pthread_join(handle, None)
    for thread in started:
        thread.join()
    while len(done) < 3:
        time.sleep(0.001)
    print("by_main", 777)
    print("by_threading", 4 * 1000 + 6)
    print("by_raw", 3 * 500 + 3)
    print("by_daemon", 333)
    print("by_foreign", 250)


def fork():
    repeat(before_fork, 100)
    pid = os.fork()
    if pid == 0:
        repeat(in_child, 200)
        os._exit(0)
    os.waitpid(pid, 0)
    repeat(in_parent, 300)
    print("before_fork", 100)
    print("in_child", 200)
    print("in_parent", 300)


def own_profile():
    """The program profiles itself: what it sees is the same as without us."""
    import cProfile
    import pstats

    events = []
    sys.setprofile(lambda frame, what, argument: events.append(what))
    by_main(1)
    len([])
    sys.setprofile(None)
    print("events", *events)
    profile = cProfile.Profile()
    profile.enable()
    repeat(by_main, 50)
    profile.disable()
    for key, row in sorted(pstats.Stats(profile).stats.items()):
        print("cProfile", key[2], row[0], row[1])
    lines = []

    def trace(frame, what, argument):
        lines.append((frame.f_code.co_name, what))
        return trace

    sys.settrace(trace)
    by_main(2)
    sys.settrace(None)
    print("lines", lines)
    print("profile", sys.getprofile(), threading._profile_hook)


if __name__ == "__main__":
    globals()[sys.argv[1] if len(sys.argv) > 1 else "threads"]()
