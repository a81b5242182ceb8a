"""Asks a server for each row of a list, one after the other."""
import os
import socket
import time

listener = socket.create_server(("127.0.0.1", 0))
if os.fork() == 0:
    peer, _ = listener.accept()
    while peer.recv(64):
        time.sleep(0.01)
        peer.sendall(b"row")
    os._exit(0)
client = socket.create_connection(listener.getsockname())
spent = 0.0
rows = []
for i in range(150):
    client.sendall(b"select %d" % i)
    began = time.perf_counter()
    rows.append(client.recv(64))  # FAULT network-waits
    spent += time.perf_counter() - began
client.close()
print("truth", spent)
