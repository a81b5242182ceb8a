# Loops over a device, each with one fault, and one with none. gpu_faults.py DIRECTORY CASE STEPS
import ctypes
import sys
import time

directory, case, steps = sys.argv[1], sys.argv[2], int(sys.argv[3])
device = ctypes.CDLL(directory + "/gpu_faults.so")


def burn(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def well_made():
    device.faults_put_pinned()
    for _ in range(5):
        device.faults_matrices()


def synchronises():
    for _ in range(3):
        device.faults_matrices()
    device.faults_wait()  # the fault
    burn(0.002)


def launches_tiny_kernels():
    for _ in range(200):
        device.faults_add()  # the fault


def copies_pageable():
    device.faults_put_pageable()  # the fault
    for _ in range(2):
        device.faults_matrices()


def multiplies_plainly():
    for _ in range(5):
        device.faults_plain_matrices()  # the fault


def idles():
    time.sleep(0.016)  # the fault: what the device waits for
    device.faults_matrices()


step = globals()[case]
for _ in range(steps):
    step()
device.faults_wait()
print("done")
