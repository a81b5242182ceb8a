"""Flask under gunicorn; the argument is its kind of worker (sync, gthread, gevent), which it starts two of."""
import hashlib
import json
import os
import sys
import zlib

from flask import Flask, jsonify, render_template_string, request

app = Flask(__name__)


@app.get("/template")
def template():
    return render_template_string("{% for n in numbers %}{{ n * n }},{% endfor %}", numbers=range(200))[-40:]


@app.get("/json")
def numbers():
    return jsonify(json.loads(json.dumps([{"n": n, "s": str(n) * 3} for n in range(300)]))[-2:])


@app.get("/hash")
def digest():
    return hashlib.pbkdf2_hmac("sha256", request.path.encode(), b"salt", 10000).hex()


@app.get("/zip")
def packed():
    return str(len(zlib.compress(bytes(range(256)) * 2000, 9)))


@app.get("/error")
def error():
    raise RuntimeError("on purpose")


@app.get("/sleep")
def sleep():
    import time  # gevent has put its own in by now

    time.sleep(0.02)
    return "slept"


if __name__ == "__main__":
    from loopback import free_port, server, storm

    kind, port = sys.argv[1], free_port()
    here = os.path.dirname(os.path.abspath(__file__))
    gunicorn = [sys.executable, "-m", "gunicorn", "--chdir", here, "-b", f"127.0.0.1:{port}", "-k", kind, "-w", "2"]
    # Workers are put in others' places while requests go on.
    gunicorn += ["--threads", "4", "--max-requests", "150", "--worker-tmp-dir", "/dev/shm", "--log-level", "error"]
    with server(*gunicorn, "flask_gunicorn:app", port=port):
        storm(port, ["/template", "/json", "/hash", "/zip", "/sleep", "/error"] * 80, clients=6)
