"""Reads the meters of a substation through their text gateway and adds up the energy of each feeder.

What is wrong: a reply is taken to be complete only when nothing more has come for 50 ms (recv until socket.timeout),
although every reply ends with a line "END": each query waits out the whole time-out after its last byte.
First screen should say: the main thread spends nearly all its time waiting in recv in Gateway.query, which returns by its
time-out of 50 ms at every query; the gateway has answered long before.
Mend: stop reading when the reply ends with b"END\\n".
"""
import os
import socket
import time

FEEDERS = 60
CHANNELS = 40


def gateway(listener):
    """The other end: a process that knows the registers."""
    peer, _ = listener.accept()
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    lines = peer.makefile("r")
    for line in lines:
        feeder = int(line.split()[1])
        rows = []
        for channel in range(CHANNELS):
            value = (feeder * 7919 + channel * 104729) % 100003 / 10
            rows.append("F%02d.%02d %.1f kWh\n" % (feeder, channel, value))
        text = "".join(rows).encode()
        peer.sendall(text[:600])
        peer.sendall(text[600:] + b"END\n")
    os._exit(0)


class Gateway:
    def __init__(self, address):
        self.socket = socket.create_connection(address)
        self.socket.settimeout(0.05)
        self.lost = 0.0

    def query(self, feeder):
        self.socket.sendall(b"READ %d\n" % feeder)
        reply = b""
        while True:
            began = time.perf_counter()
            try:
                chunk = self.socket.recv(4096)  # FAULT network-waits
            except socket.timeout:  # FAULT network-waits
                self.lost += time.perf_counter() - began
                break
            if not chunk:
                raise ConnectionError("gateway went away")
            reply += chunk
        return reply.decode()

    def close(self):
        self.socket.close()


def parse(reply):
    values = {}
    for line in reply.splitlines():
        if line == "END":
            break
        name, value, unit = line.split()
        if unit != "kWh":
            raise ValueError(line)
        values[name] = float(value)
    return values


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    child = os.fork()
    if child == 0:
        gateway(listener)
    meter = Gateway(listener.getsockname())
    totals = {}
    for feeder in range(FEEDERS):
        values = parse(meter.query(feeder))
        totals[feeder] = sum(values.values())
    meter.close()
    os.waitpid(child, 0)
    top = sorted(totals, key=totals.get, reverse=True)[:5]
    for feeder in top:
        print("feeder %02d %10.1f kWh" % (feeder, totals[feeder]))
    print("all %.1f kWh" % sum(totals.values()))
    print("truth %.3f" % meter.lost)


main()
