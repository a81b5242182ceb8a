"""A program with its own profiler, tracer, audit hook or fault handler: prints what it observed.

usage: observers.py KIND
What it prints depends on nothing but the program.
"""
import faulthandler
import io
import os
import re
import signal
import sys
import tempfile
import threading


def leaf(n):
    return sum(range(n)) + len([str(k) for k in range(3)])


def work():
    return [leaf(n) for n in range(20)] + sorted([3, 1, 2], key=lambda v: -v)


def with_cprofile():
    import cProfile
    import pstats
    profile = cProfile.Profile()
    profile.enable()
    work()
    profile.disable()
    rows = pstats.Stats(profile, stream=io.StringIO()).stats
    for (file, line, name), (primitive, calls, _, _, callers) in sorted(rows.items()):
        print(os.path.basename(file), line, name, primitive, calls, sorted(caller[2] for caller in callers))


def observe(install):
    seen = []

    def hook(frame, event, argument):
        if frame.f_code.co_filename == __file__ and frame.f_code is not hook.__code__:
            seen.append((event, frame.f_code.co_name, frame.f_lineno,
                         getattr(argument, "__name__", None) if event.startswith("c_") else None))
        return hook
    install(hook)
    work()
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    current = sys.gettrace() is hook, sys.getprofile() is hook
    install(None)
    print(current, len(seen))
    for entry in seen:
        print(*entry)


def with_settrace():
    observe(lambda hook: (threading.settrace(hook), sys.settrace(hook)))


def with_setprofile():
    observe(lambda hook: (threading.setprofile(hook), sys.setprofile(hook)))


def with_audit():
    seen = []
    sys.addaudithook(lambda event, arguments: seen.append(event))
    os.fork() or os._exit(0)
    os.wait()
    compile("1", "<text>", "eval")
    exec("2")
    with open(__file__):
        pass
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()
    print(*seen, sep="\n")


def without_addresses(dump):
    dump.seek(0)
    return re.sub(r"0x[0-9a-f]+", "0x", dump.read().decode())


def with_faulthandler():
    with tempfile.TemporaryFile() as dump:
        faulthandler.dump_traceback(dump, all_threads=True)
        faulthandler.register(signal.SIGUSR1, dump, all_threads=False)
        leaf_dump = lambda: os.kill(os.getpid(), signal.SIGUSR1)
        leaf_dump()
        faulthandler.unregister(signal.SIGUSR1)
        print(without_addresses(dump))
    with tempfile.TemporaryFile() as dump:
        pid = os.fork()
        if pid == 0:
            faulthandler.enable(dump)
            faulthandler._sigsegv()
        print("ended by", os.waitpid(pid, 0)[1] & 127)
        print(without_addresses(dump))


def with_tracebacks():
    def failing(n):
        if n == 0:
            import no_such_module
        failing(n - 1)
    import traceback
    for attempt in (lambda: failing(3), lambda: exec("def f():\n  1/0\nf()"), lambda: int("x"), lambda: __import__("x.y")):
        try:
            attempt()
        except Exception:
            print(traceback.format_exc())
    sys.setrecursionlimit(200)

    def endless(depth):
        deepest[0] = max(deepest[0], depth)
        endless(depth + 1)
    deepest = [0]
    try:
        endless(0)
    except RecursionError:
        print("recursion ended at", deepest)


{"cprofile": with_cprofile, "settrace": with_settrace, "setprofile": with_setprofile, "audit": with_audit,
 "faulthandler": with_faulthandler, "tracebacks": with_tracebacks}[sys.argv[1]]()
