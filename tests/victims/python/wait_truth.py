"""Waits for known times on known lines; prints what its own clock says of each, in ns, and the line."""
import inspect
import os
import queue
import select
import socket
import subprocess
import sys
import threading
import time


def told(name, started):
    now = time.monotonic_ns()
    line = inspect.currentframe().f_back.f_lineno - 1
    print(f"ns_{name} {now - started}\nline_{name} {line}", flush=True)


def later(seconds, action):
    def run():
        threading.Event().wait(seconds)
        action()
    thread = threading.Thread(target=run)
    thread.start()
    return thread


def wait_sleep():
    started = time.monotonic_ns()
    time.sleep(0.3)
    told("sleep", started)


def wait_queue():
    items = queue.Queue()
    thread = later(0.25, lambda: items.put(1))
    started = time.monotonic_ns()
    items.get()
    told("queue", started)
    thread.join()


def wait_child():
    started = time.monotonic_ns()
    subprocess.run(["sleep", "0.3"])
    told("child", started)


def wait_socket():
    here, there = socket.socketpair()
    thread = later(0.2, lambda: there.send(b"x"))
    started = time.monotonic_ns()
    here.recv(1)
    told("socket", started)
    thread.join()


def wait_pipe():
    reading, writing = os.pipe()
    thread = later(0.15, lambda: os.write(writing, b"x"))
    started = time.monotonic_ns()
    os.read(reading, 1)
    told("pipe", started)
    thread.join()


def wait_poll():
    started = time.monotonic_ns()
    select.select([], [], [], 0.1)
    told("poll", started)


def wait_lock():
    lock = threading.Lock()
    lock.acquire()
    thread = later(0.2, lock.release)
    started = time.monotonic_ns()
    lock.acquire()
    told("lock", started)
    thread.join()


def read_file():
    size = 0
    started = time.monotonic_ns()
    with open(sys.executable, "rb", buffering=0) as file:
        size = len(file.read(1 << 20))
    print(f"ns_file {time.monotonic_ns() - started}\nbytes_file {size}", flush=True)


print(f"tid_main {threading.get_native_id()}", flush=True)
for wait in (wait_sleep, wait_queue, wait_child, wait_socket, wait_pipe, wait_poll, wait_lock, read_file):
    wait()
