"""A service that counts words, in threads, and a client in the same process that keeps its connection: while the
client waits, the service computes."""
import http.client
import http.server
import json
import threading


class Counter(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_POST(self):
        text = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        words = {}
        for word in text.split():
            words[word] = words.get(word, 0) + 1
        body = json.dumps({"different": len(words), "most": max(words.values())}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Counter)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    texts = [json.dumps(" ".join(f"w{i * k % 211}" for k in range(1500))) for i in range(50)]
    client = http.client.HTTPConnection("127.0.0.1", server.server_port)
    total = 0
    for i in range(6000):
        client.request("POST", "/count", texts[i % 50])
        total += json.loads(client.getresponse().read())["different"]
    client.close()
    server.shutdown()
    print(total)


main()
