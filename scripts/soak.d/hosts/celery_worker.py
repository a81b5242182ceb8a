"""Celery with redis as its broker: a worker with a pool of processes, of threads or of greenlets (the argument)."""
import hashlib
import os
import sys

from celery import Celery, chain, group

app = Celery("celery_worker", broker=os.environ.get("BROKER", "memory://"), backend=os.environ.get("BROKER", "cache+memory://"))
app.conf.update(worker_prefetch_multiplier=2, broker_connection_retry_on_startup=True, worker_hijack_root_logger=False)


@app.task
def add(a, b):
    return a + b


@app.task
def digest(n):
    return hashlib.pbkdf2_hmac("sha256", b"%d" % n, b"salt", 5000).hex()


@app.task(bind=True, max_retries=3, default_retry_delay=0)
def again(self, n):
    if self.request.retries < 2:
        raise self.retry()
    return n * 2


@app.task
def wrong(n):
    raise ValueError(n)


def main(pool):
    from loopback import free_port, server

    here, port = os.path.dirname(os.path.abspath(__file__)), free_port()
    os.environ["BROKER"] = app.conf.broker_url = app.conf.result_backend = f"redis://127.0.0.1:{port}/0"
    redis = ("redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no")
    worker = (sys.executable, "-m", "celery", "--workdir", here, "-A", "celery_worker", "worker", "-P", pool)
    with server(*redis, port=port):
        with server(*worker, "-c", "4", "--max-tasks-per-child", "60", "-l", "error", port=port):
            print("digest", hashlib.sha256("".join(group(digest.s(n) for n in range(150))().get(120)).encode()).hexdigest())
            print("chain", chain(add.s(1, 2), *(add.s(n) for n in range(10)))().get(120))
            print("again", group(again.s(n) for n in range(10))().get(120))
            results = [wrong.delay(n) for n in range(5)]
            print("wrong", [repr(result.get(120, propagate=False)) for result in results])


if __name__ == "__main__":
    main(sys.argv[1])
