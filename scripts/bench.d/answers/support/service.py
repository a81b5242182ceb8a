"""A small HTTP service on a free port, which it prints. /ANY/ID?ids=A,B&delay=MS: an item for each id, after a while."""
import http.server
import json
import time
import urllib.parse


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 65536

    def setup(self):
        time.sleep(0.004)  # setting up a connection takes a while
        super().setup()

    def log_message(self, *_):
        pass

    def do_GET(self):
        url = urllib.parse.urlparse(self.path)
        query = urllib.parse.parse_qs(url.query)
        time.sleep(float(query.get("delay", ["0"])[0]) / 1000)
        ids = query.get("ids", [url.path.rsplit("/", 1)[-1]])[0].split(",")
        items = [{"id": i, "name": f"item {i}", "price": len(i) * 9.5, "tags": ["a", "b", i]} for i in ids]
        body = json.dumps(items).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


server = Server(("127.0.0.1", 0), Handler)
print("%s:%d" % server.server_address, flush=True)
server.serve_forever()
