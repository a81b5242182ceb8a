"""A desk that quotes prices: each request has a thread of its own, and asks a slow exchange for the rate of its day."""
import socketserver
import socket
import threading
import time

DAYS = 160
waited = []


class Exchange:
    """Stands for a service elsewhere: an answer takes 25 ms."""

    def rate(self, day):
        time.sleep(0.025)
        return 1 + (day * 7919 % 1000) / 10_000


class Desk:
    def __init__(self, exchange):
        self.exchange = exchange
        self.rates = {}
        self.lock = threading.Lock()

    def quote(self, day, amount):
        asked = time.perf_counter()
        with self.lock:  # FAULT lock-contention
            waited.append(time.perf_counter() - asked)
            if day not in self.rates:
                self.rates[day] = self.exchange.rate(day)
            return amount * self.rates[day]


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        day, amount = self.rfile.readline().split()
        self.wfile.write(b"%.4f\n" % self.server.desk.quote(int(day), float(amount)))


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


def customer(address, days, out):
    for day in days:
        with socket.create_connection(address) as connection:
            connection.sendall(b"%d %d\n" % (day, 100 + day))
            out.append(float(connection.makefile().readline()))


def main():
    server = Server(("127.0.0.1", 0), Handler)
    server.desk = Desk(Exchange())
    threading.Thread(target=server.serve_forever, daemon=True).start()
    quotes = []
    began = time.perf_counter()
    customers = [threading.Thread(target=customer, args=(server.server_address, range(n, DAYS, 8), quotes)) for n in range(8)]
    for one in customers:
        one.start()
    for one in customers:
        one.join()
    took = time.perf_counter() - began
    server.shutdown()
    print("quotes", len(quotes), "sum %.2f" % sum(quotes))
    print("truth %.3f" % (took - DAYS / 8 * 0.025))


main()
