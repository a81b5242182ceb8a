"""Synchronises the stock levels of the branches with the central service.

The central service is simulated on the loopback interface with the test
certificate below; the client side is the code that runs in the branches.

What is wrong: each request makes a TLS context, which reads and parses all certificates that the system trusts.
First screen should say: ssl.create_default_context() in StockClient._connect is called for each request, 3 s.
Mend: one context for the client.
"""
import concurrent.futures
import json
import os
import random
import socket
import ssl
import struct
import tempfile
import threading
import time
import zlib

TEST_CERTIFICATE = """\
-----BEGIN PRIVATE KEY-----
MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQCM58aOaV4RNnl8
SM70M0u3s7U9EedG/MfgMxFr3SP4XOqRMiDAgLO3VHiXemEIPsf28kJaeqc6cCQO
zs7rCqbMU9xWKPvhNzNXFZOHrLUBriNC1kBd0G7NF062IH965MezH4u7bFJVnAsW
BMevj+NsDAGNEHvgagboPOUTBs79ddyH7Nvrg4ocTpdiF+Auw9IuXlHThwAjJDy3
w2/fhWYp0jwl5OyuTMYwYCY7DlHOpcX7OdHY4J4s+dJOdtBu5KhZcVutyE9Fl+sQ
+yeZVB9O7IUgPyOtnt6x3bW1sJG1OuBf6g3CjeAcYKYAbu8nzqpiXGpREDZwc8Hy
owjZ0/h9AgMBAAECggEAEw1Obk3A8lgzRPgd7ixME01b4XiyP4meXP+Ks32gh3ce
IFPEKe3ntDovtAulYxVaDwHisZPergAhCqoxQDFIgbLfxVFKqBZr/V0QKErUjqLv
vEchR44PQpvhgK6+40GxNCm9HbJ1JNjchuBOlREXkbHDOUJT/ZwDIxOuGvcotbcu
odpbS8WGm3D6r1KDzLnUMNWUaOK+rITAfiuZEhLcLw5K/64nQM1KYMmB0Cszhif8
FEd9Varqs/AH6nyerZ2mTVn8OHtNBOk+EtotwKsU7+MJbwnPn7MbyGWJ0FMU13dl
PRRMIqd3FXb9Hby3rfJ6uBC0k/+o/0ZlJlNcLlKM4QKBgQDCwoiOfkbfkFhp6cT8
mCh0d+q/v7s/7GrN25SNRXfyMti/O/+9vfm9vmZ5Jg6i+r08dngG6hTnnoM2oFD5
n6imOvH9D1JT3lcxAyhE5KRIDTIWOO3WnNFg+5mVztQZRG/uY4mXHJse3fuo8h+n
5sK5NBPNRWyCZkYvEKWath6l7wKBgQC5NiXoBUmxrvL/AcPQlOdMw6amYgPFUdHw
0TPWa3wN1Tyu+Gwb8Lt7mMSFb4dRklLwtFdHR05cORo0TGiZHSZTAA8UINMKRATv
ekmCBFInXk93Fjevjf0njvAqXSDiwfJA0kTs7uCGAzUSpPHT7VHzftgoHmQ7qKoY
QTH5r2qUUwKBgQCeq8B3Xte88iul9kd/hzOGV+BP4hPa63DEUD3BrrQfBV/ixS4A
1tKtzH5N+zx3eZJMvTPiZjkrzs+V5Jy0EmhjLajTA/WN0Jn2m1zma+SPsvh4dF8I
tvA6dCDXlQ7lmwUaEcwZ6btTNYT/SmuR7gX8vznWxdW2kz5gv847sl5bzwKBgG79
nhW/JXyPpRtgiWIz+bCtBu9qiWv0LmWsWO5EF2GKygTo5pCP4SqeUBbO0T72+zE4
QZ17g+AMcEGrEHvBVjgjLuYXDaF3RaXlmKuLv1fMUr7A17oi0vSj2hTpHk4FgBGM
cLW0KWTmAyYbJrij3ZqYBx1zqQl/d/91Amfo0Wv1AoGBAIvNjsoQwQOH/oGfCg+W
x1AyOTh3l44vMhZJzy9MBZ2M9uqAWnDZSFUxLVXSDx+KdDM8GRWy9IMXmEu2hz0M
UCkwbX10ihK9o3sq0jYdxXKOoxSZPemy9B3vcONkflhq3T03RSTIQQMxZ3ZAL3lM
VLJsiOJXcvPlQITS3o21ikYK
-----END PRIVATE KEY-----
-----BEGIN CERTIFICATE-----
MIIDJTCCAg2gAwIBAgIUP15PJkfoynBNt3fMS6NtzXQma5YwDQYJKoZIhvcNAQEL
BQAwFDESMBAGA1UEAwwJbG9jYWxob3N0MB4XDTI2MTEzMDA3MTIzNFoXDTQ2MTEy
NTA3MTIzNFowFDESMBAGA1UEAwwJbG9jYWxob3N0MIIBIjANBgkqhkiG9w0BAQEF
AAOCAQ8AMIIBCgKCAQEAjOfGjmleETZ5fEjO9DNLt7O1PRHnRvzH4DMRa90j+Fzq
kTIgwICzt1R4l3phCD7H9vJCWnqnOnAkDs7O6wqmzFPcVij74TczVxWTh6y1Aa4j
QtZAXdBuzRdOtiB/euTHsx+Lu2xSVZwLFgTHr4/jbAwBjRB74GoG6DzlEwbO/XXc
h+zb64OKHE6XYhfgLsPSLl5R04cAIyQ8t8Nv34VmKdI8JeTsrkzGMGAmOw5RzqXF
+znR2OCeLPnSTnbQbuSoWXFbrchPRZfrEPsnmVQfTuyFID8jrZ7esd21tbCRtTrg
X+oNwo3gHGCmAG7vJ86qYlxqURA2cHPB8qMI2dP4fQIDAQABo28wbTAdBgNVHQ4E
FgQUhTQENo2IxtjE+ulo1nLgDid18jIwHwYDVR0jBBgwFoAUhTQENo2IxtjE+ulo
1nLgDid18jIwDwYDVR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SH
BH8AAAEwDQYJKoZIhvcNAQELBQADggEBAAJu428LM/Fmm+HNg1yRPTspKGSoJ4to
O8pMr/JbH2di4DlP290H4RB7nL0o+mmqpc1f6ZgzqIB5yXyb9QWg59nberwKQehx
geRYwAhZlvpnJQ3xalRdwV/sqvgDRzFCiWkRKpA+r6R3i2BzpsnpVwX7xakfTdq+
2GhdKN7qtn1daCu6YFhhW8TU7izOfGgDqC1kSKAdLID93VAWTJ5kk/b7oyG8cH61
xQh8vFE0glVoNbhWczuh1XUm66hMT1/F3dcugxnAR2nj6Er9F66MGj+PDp8IvlGN
CSl5NCXlbWzFxeSJBAwWzdEHFXkpGa5SVtZ8vx3c8qjLl0ILd6ZTbOg=
-----END CERTIFICATE-----
"""

HEADER = struct.Struct("!I")


def send_message(conn, message):
    body = zlib.compress(json.dumps(message).encode(), 6)
    conn.sendall(HEADER.pack(len(body)) + body)


def receive_exactly(conn, count):
    parts = []
    while count:
        part = conn.recv(min(count, 65536))
        if not part:
            raise ConnectionError("peer closed the connection")
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def receive_message(conn):
    (length,) = HEADER.unpack(receive_exactly(conn, HEADER.size))
    return json.loads(zlib.decompress(receive_exactly(conn, length)))


class CentralService(threading.Thread):
    def __init__(self, certificate, articles):
        super().__init__(daemon=True)
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificate)
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self._articles = articles
        self.port = self._listener.getsockname()[1]

    def run(self):
        while True:
            try:
                conn, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(conn,), daemon=True).start()

    def _serve(self, conn):
        with self._context.wrap_socket(conn, server_side=True) as tls:
            request = receive_message(tls)
            rnd = random.Random(request["branch"] * 1000 + request["page"])
            levels = {str(article): rnd.randrange(200)
                      for article in range(request["page"], self._articles, 10)}
            send_message(tls, {"branch": request["branch"], "levels": levels})

    def stop(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


class StockClient:
    def __init__(self, port, certificate, timeout=10):
        self.spent = []
        self._address = ("127.0.0.1", port)
        self._certificate = certificate
        self._timeout = timeout

    def _connect(self):
        began = time.perf_counter()
        context = ssl.create_default_context()  # FAULT tls-contexts
        self.spent.append(time.perf_counter() - began)
        context.load_verify_locations(self._certificate)
        raw = socket.create_connection(self._address, timeout=self._timeout)
        return context.wrap_socket(raw, server_hostname="localhost")

    def fetch_levels(self, branch, page):
        with self._connect() as conn:
            send_message(conn, {"branch": branch, "page": page})
            return receive_message(conn)["levels"]


def sync_branch(client, branch):
    levels = {}
    for page in range(10):
        levels.update(client.fetch_levels(branch, page))
    reorder = sorted((count, int(article)) for article, count in levels.items()
                     if count < 20)
    return branch, len(levels), reorder


def main():
    with tempfile.TemporaryDirectory() as folder:
        certificate = os.path.join(folder, "central.pem")
        with open(certificate, "w", encoding="ascii") as stream:
            stream.write(TEST_CERTIFICATE)
        service = CentralService(certificate, articles=50000)
        service.start()
        client = StockClient(service.port, certificate)
        with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
            results = list(pool.map(lambda branch: sync_branch(client, branch),
                                    range(1, 25)))
        service.stop()
    print("branches:", len(results), "levels:", sum(item[1] for item in results))
    print("to reorder:", sum(len(item[2]) for item in results),
          "first:", results[0][2][:3])
    # By two threads at once.
    print("truth %.3f" % (sum(client.spent) / 2))


if __name__ == "__main__":
    main()
